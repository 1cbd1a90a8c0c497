#!/bin/sh
# build.sh PYTHON OUTPUT VERSION: the release binary, for x86-64 Linux with glibc 2.17 or
# later. PYTHON has the package ziglang.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
ZIG=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
WEAK=$(mktemp)
trap 'rm -f "$WEAK"' EXIT
header=$(go list -m -f '{{.Dir}}' github.com/NVIDIA/go-nvml)/pkg/nvml/nvml.h
grep -oE '\bnvml[A-Z][A-Za-z0-9_]* ?\(' "$header" | tr -d '( ' | sort -u | sed 's/^/#pragma weak /' >"$WEAK"
# The name of the header is part of Go's cache key, so it is always the same.
mkdir -p bin
mv "$WEAK" bin/.weak.h
trap 'rm -f bin/.weak.h' EXIT
export ZIG CC="$here/zig-cc" CGO_ENABLED=1 GOOS=linux GOARCH=amd64
export CGO_CFLAGS="-O2 -w -include $PWD/bin/.weak.h" CGO_LDFLAGS='-Wl,-z,lazy'
go build -trimpath -tags netgo,osusergo -ldflags "-s -w -linkmode external -X main.version=$3" -o "$2" ./probe-agent
