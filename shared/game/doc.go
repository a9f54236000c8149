// Package game holds the rules of Ranch: its records, what is allowed, and what follows. Everything here is a pure function of values and a time;
// nothing knows of HTTP or AWS. JSON field names are those of the specification's section 2.
package game
