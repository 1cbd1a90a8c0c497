// Package identity is who a box is to the service, and who it is not allowed to be
// known as. It holds the box's key and enrolment on disk, replaces a GPU's UUID by a
// keyed hash, and notices that a disk image with a key on it was cloned.
package identity
