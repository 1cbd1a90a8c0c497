// Package importer brings what feeds say into the catalogue:
//
//	feed.Read -> normalise -> check -> guard -> merge -> Publish
//
// A row becomes an offer (normalise). What is wrong with a single offer puts it in
// quarantine, with a reason, while all others go on (check). What is wrong with a
// provider's prices as a whole refuses all of them: then its last good prices stay,
// with their own dates (guard). Newer prices replace older ones, whichever is
// cheaper (merge). One import makes one version of the catalogue out of any number of
// feeds, published only if nothing else was published meanwhile, or built anew on
// what was.
//
// Importing the same again changes nothing.
package importer
