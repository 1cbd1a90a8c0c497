// Package aggregate makes coefficients of what boxes measured: quantities divided by
// references, combined by adding times, and pooled so that no one who lies moves the
// result far. It is pure: reports and a catalogue in, coefficients out.
//
// A box has one figure, a tenant the median of its boxes, and a coefficient is the
// median of its tenants: one tenant, one vote. What most tenants say holds, however
// many reports the others send; nothing statistical survives as many false tenants as
// true ones. A signature proves who sent a report and never that it is true: on a
// rented box root can fake the driver's library.
//
// Relative to its own model a typical card scores near 0.95, so that differences
// between providers show, not between models. A clock below the specification's is
// normal for a card at its power limit: against the specification (Reference "spec") a
// coefficient is a lower bound, until enough tenants measured the model to know what
// healthy ones give ("learnt").
package aggregate
