package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"wb/workbook"
	"wb/workbook/instance"
)

// freezeFlags carry live sessions from one machine to another.
type freezeFlags struct {
	Freeze string `help:"When all has run, freeze the sessions, and the keys and volumes of the directory, into this file." placeholder:"FILE"`
	Resume string `help:"Go on with the sessions frozen in this file; what had run in them does not run again." placeholder:"FILE" type:"existingfile"`
}

// check refuses what cannot be frozen.
func (f *freezeFlags) check(files []string) error {
	if (f.Freeze != "" || f.Resume != "") && len(files) != 1 {
		return &usageError{err: fmt.Errorf("--freeze and --resume take one workbook")}
	}
	return nil
}

// run runs a workbook, in an instance where the flags ask for one.
func (f *freezeFlags) run(ctx context.Context, opts workbook.Options) (*workbook.Report, error) {
	if f.Freeze == "" && f.Resume == "" {
		return workbook.Run(ctx, opts)
	}
	host, err := capabilities()
	if err != nil {
		return nil, err
	}
	report, err := f.runInstance(ctx, instance.Config{Options: opts, Host: host})
	return report, errors.Join(err, host.Close())
}

func (f *freezeFlags) runInstance(ctx context.Context, config instance.Config) (*workbook.Report, error) {
	nb, err := f.open(ctx, config)
	if err != nil {
		return nil, err
	}
	report, err := nb.Run(ctx)
	if err != nil || f.Freeze == "" {
		return report, err
	}
	return report, writeAside(f.Freeze, func(file *os.File) error { return nb.Freeze(ctx, file) })
}

func (f *freezeFlags) open(ctx context.Context, config instance.Config) (*instance.Instance, error) {
	if f.Resume == "" {
		return instance.Open(config)
	}
	file, err := os.Open(f.Resume)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	nb, err := instance.Resume(ctx, config, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Resume, err)
	}
	return nb, nil
}

// writeAside makes a file that is there whole or not at all, for its owner alone.
func writeAside(path string, write func(*os.File) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".wb-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails when the rename has succeeded
	if err := errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
