// Package awsfeed reads the price list of Amazon EC2 that AWS publishes for every
// region: hundreds of megabytes of JSON, or of a table (CSV), of which it keeps what
// is about Linux machines that anyone can rent.
//
// The list is read as it streams by. Products come before the terms that price
// them; what is kept of the products is a few hundred rows a region. Many products
// look alike: only shared tenancy, no software, no licence, capacity in use and
// ordinary operation are the price that people mean.
//
// A price is per instance and hour. A reservation has an hourly part, a part paid at
// once ("Quantity"), or both; what is paid at once is stated for the whole term, and
// where there are both they are added up for it. Only standard reservations are kept:
// convertible ones are dearer for the same machine.
package awsfeed
