// Package processtest lets tests see which processes there are.
package processtest
