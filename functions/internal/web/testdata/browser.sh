#!/bin/sh
# Gets what the tests of the pages need besides Go, where this machine may install it:
# Debian's Chromium with fonts for Chinese, and axe-core in the folder $1. Without them
# those tests are skipped, and say so; so nothing here fails.
set -u
here=$(dirname "$0")
axe=$1

chromium() {
	for name in chromium chromium-browser google-chrome; do
		command -v "$name" >/dev/null 2>&1 && return 0
	done
	return 1
}

if ! chromium; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		echo "installing Chromium for the tests of the pages"
		export DEBIAN_FRONTEND=noninteractive
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; } >/dev/null 2>&1
	fi
	chromium || echo "NOT INSTALLED: Chromium. The tests of the pages in a browser are skipped; as root on Debian: apt-get install chromium fonts-noto-cjk"
fi

if ! cmp -s "$here/axe/package-lock.json" "$axe/package-lock.json" || [ ! -f "$axe/node_modules/axe-core/axe.min.js" ]; then
	if command -v npm >/dev/null 2>&1; then
		mkdir -p "$axe"
		cp "$here/axe/package.json" "$here/axe/package-lock.json" "$axe/"
		(cd "$axe" && npm ci --ignore-scripts --no-audit --no-fund --silent) || rm -f "$axe/package-lock.json"
	fi
	[ -f "$axe/node_modules/axe-core/axe.min.js" ] || echo "NOT INSTALLED: axe-core, which npm brings. The pages are not checked for accessibility"
fi
exit 0
