// Package catalog is the vocabulary of supply: what can be rented, from whom,
// where, and at what price. It is the one place where these words are defined:
//
//	Provider   who rents (FOCUS ServiceProviderName), of a ProviderClass
//	Place      a provider's region (FOCUS RegionId)
//	SKU        the provider's own name of an instance type (FOCUS SkuId)
//	Offer      one SKU at one place under one PurchaseModel (FOCUS PricingCategory)
//	Price      an amount per Basis in a Currency (FOCUS ListUnitPrice, PricingUnit, PricingCurrency)
//	GPUModel   a kind of GPU with its specification and Tier
//	Prior      an efficiency coefficient before anything was measured
//	Model      the shape of a named neural network
//	Snapshot   all of it at one Version: immutable, indexed, safe for any number of readers
//
// Prices are exact decimals in the source's own unit and currency. What a source
// does not say is unknown, which is a state of its own and never zero. The
// package does no I/O: adapters below it (seed, feeds, stores) read and write.
package catalog
