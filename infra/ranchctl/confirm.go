package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/ranch-game/ranch/infra/terminal"
)

// banner says what a command is about, where that is, and who asks: once, and only where it is not on this machine.
func (a *app) banner(ctx context.Context, what string) error {
	if a.announced || a.onThisMachine() {
		return nil
	}
	who, err := a.whoAsks(ctx)
	if err != nil {
		return err
	}
	a.announced = true
	a.say("%s %s, as %s", what, a.place(who), who.name)
	return nil
}

// confirm lets a change of something that is not on this machine through where --yes says so, or somebody at the
// terminal does. It takes as long as they take.
func (a *app) confirm(ctx context.Context, what string) error {
	if err := a.banner(ctx, what); err != nil {
		return err
	}
	if a.yes || a.onThisMachine() {
		return nil
	}
	if !a.interactive {
		look := ""
		if a.command.Flags().Lookup("dry-run") != nil {
			look = ", or look first with --dry-run"
		}
		return usagef("this changes %s %s: repeat it with --yes%s", what, a.place(a.caller), look)
	}
	fmt.Fprint(a.warnings, terminal.Visible(fmt.Sprintf("Change %s %s? [y/N] ", what, a.place(a.caller))))
	answer, err := readLine(ctx, a.in)
	if err != nil {
		fmt.Fprintln(a.warnings)
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		a.yes = true // asked once
		return nil
	}
	return errors.New("nothing was changed")
}

// readLine reads a line, unless the context ends first.
func readLine(ctx context.Context, from io.Reader) (string, error) {
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(from).ReadString('\n') // nothing, where there is none
		lines <- line
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line := <-lines:
		return line, nil
	}
}

// isTerminal reports whether somebody sits at the other end.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
