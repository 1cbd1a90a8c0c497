// Package vastfeed reads the offers of Vast's marketplace: parts of machines that
// people let, each with a price of its own.
//
// A box is let once, so a SKU here is what boxes have in common, "2x-RTX 4090-24GB";
// where several at a place are alike the importer takes the cheapest. The price is
// that of the machine alone (dph_base): dph_total has a volume in it, of the size
// that the question asked for. A floor of bids (min_bid) is that of a whole machine
// and never a list price: it makes a spot offer only where the offer is the machine.
//
// Memory is in MB of 2^20 bytes. That of the CPUs is the machine's, of which an offer
// has the part that its cores have in the machine's.
package vastfeed
