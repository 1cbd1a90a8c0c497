// Package upload brings reports to the server. A report is a compact JWS (EdDSA) over
// the bytes that the spool keeps, so sending it again sends the same bytes, and the
// server knows it by the SHA-256 of the payload. No clock is part of what is signed:
// a box with a wrong clock can send all the same, and learns from the answer how far
// off it is.
package upload
