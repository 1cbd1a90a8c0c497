package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tierwise/tierwise/functions/internal/endpoint"
)

// chartKeyFile is where the data folder has the secret that pictures are signed with.
const chartKeyFile = "chart.key"

// chartSecretBytes is how many random bytes a secret is made of.
const chartSecretBytes = 32

// charts signs pictures with the secret of the environment, or else with that of the
// data folder, which is made if it is not there: so a picture's URL stays good.
func (p *program) charts(folder string) (endpoint.Charts, error) {
	secret := p.getenv(endpoint.ChartKeyVariable)
	if secret == "" {
		var err error
		if secret, err = p.chartSecret(folder); err != nil {
			return endpoint.Charts{}, fmt.Errorf("keep the key of pictures: %w", err)
		}
	}
	return endpoint.NewCharts(secret)
}

// chartSecret reads the secret of a data folder. A new one is written aside and then
// linked into place, so that of two programs that start at once both get the same.
func (p *program) chartSecret(folder string) (string, error) {
	path := filepath.Join(folder, chartKeyFile)
	kept, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return string(kept), err
	}
	random := make([]byte, chartSecretBytes)
	if _, err := io.ReadFull(p.random, random); err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	aside, err := os.CreateTemp(folder, chartKeyFile+".*") // for its owner alone
	if err != nil {
		return "", err
	}
	defer os.Remove(aside.Name())
	_, err = aside.WriteString(hex.EncodeToString(random))
	if err = errors.Join(err, aside.Close()); err != nil {
		return "", err
	}
	if err := os.Link(aside.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	kept, err = os.ReadFile(path)
	return string(kept), err
}
