// Package forgery tells reports that can't be true, from the reports alone: a clock
// above the highest that there is, energy that is not power times time, a card that
// contradicts itself. It finds careless lies and broken agents. Who takes care can
// write a report that is consistent in itself; against him there is one vote a tenant
// (package aggregate), and identities that cost something.
package forgery
