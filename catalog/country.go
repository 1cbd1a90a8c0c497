package catalog

import "slices"

// euCountries are the member states of the European Union (europa.eu, 27 since
// February 2020), by ISO 3166-1 alpha-2 code.
const euCountries = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"

// eeaOnlyCountries are the EEA states outside the EU (efta.int).
const eeaOnlyCountries = "IS LI NO"

// CountryGroup is the countries that a group's name stands for: "EU" or "EEA".
// ok is false for any other name.
func CountryGroup(name string) (countries []string, ok bool) {
	switch name {
	case "EU":
		return splitCodes(euCountries), true
	case "EEA":
		return slices.Concat(splitCodes(euCountries), splitCodes(eeaOnlyCountries)), true
	}
	return nil, false
}

// splitCodes cuts a space-separated list of two-letter codes.
func splitCodes(list string) []string {
	codes := make([]string, 0, (len(list)+1)/3)
	for i := 0; i+2 <= len(list); i += 3 {
		codes = append(codes, list[i:i+2])
	}
	return codes
}
