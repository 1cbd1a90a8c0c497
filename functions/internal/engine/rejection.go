package engine

import (
	"github.com/tierwise/tierwise/functions/internal/candidate"
	"github.com/tierwise/tierwise/functions/internal/wording"
)

// rejectedFor says a reason of rejection in words.
func rejectedFor(in wording.Language, r candidate.Reason) string {
	say := in.Say
	switch r {
	case candidate.PriceUnknown:
		return say("no source gives its price")
	case candidate.NoExchangeRate:
		return say("its currency has no exchange rate")
	case candidate.NoGPU:
		return say("it has no GPU")
	case candidate.NoCPU:
		return say("no source gives its CPUs")
	case candidate.GPUNotSized:
		return say("its GPU's specification is incomplete")
	case candidate.LacksFormat:
		return say("its GPU lacks the number format that is asked for")
	case candidate.FractionalGPU:
		return say("it is part of a GPU, and the work needs whole ones")
	case candidate.NotServed:
		return say("it is serverless: no machine can be rented")
	case candidate.DoesNotFit:
		return say("the work does not fit in its GPU memory")
	case candidate.MayNotFit:
		return say("the work may not fit in its GPU memory")
	case candidate.OtherHardware:
		return say("it is other hardware than was asked for")
	default:
		return constrained(in, r)
	}
}

// constrained says in words which constraint an offer does not meet.
func constrained(in wording.Language, r candidate.Reason) string {
	say := in.Say
	switch r {
	case candidate.ClassExcluded:
		return say("its class of provider is not among those allowed")
	case candidate.ProviderExcluded:
		return say("its provider is not among those allowed")
	case candidate.CountryExcluded:
		return say("its country is not among those allowed, or unknown")
	case candidate.RegionExcluded:
		return say("its region is not among those allowed")
	case candidate.NotCompliant:
		return say("its provider does not state the attestations asked for")
	case candidate.NoECC:
		return say("its GPU has no ECC memory, or no source says so")
	case candidate.NoNVLink:
		return say("its GPUs are not joined by NVLink, or no source says so")
	case candidate.MarketExcluded:
		return say("its purchase model is not among those allowed")
	case candidate.NoCommitment:
		return say("it binds for longer than the commitment")
	case candidate.GPUExcluded:
		return say("its GPU is not among those allowed")
	case candidate.TooLittleVRAM:
		return say("its GPU has less memory than was asked for")
	case candidate.Interrupted:
		return say("it is interrupted more often than allowed, or how often is unknown")
	case candidate.TooOld:
		return say("its price is older than allowed, or undated")
	case candidate.Unavailable:
		return say("it was not available when last looked at")
	case candidate.TooFar:
		return say("it is farther from the users than allowed, or where it is is unknown")
	case candidate.TooDear:
		return say("its hourly price is above the ceiling")
	default:
		return say("its cost is beyond what can be reckoned with")
	}
}
