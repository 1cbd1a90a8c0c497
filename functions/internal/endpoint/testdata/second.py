"""A second implementation of the arithmetic of money, from the tables and requests alone.

It reads {"catalogue": folder, "cases": [{"path": ..., "request": ...}]} and writes a list
of answers: every amount that it can work out. Only the standard library is used, and
fractions carry every amount until it is rounded once.
"""

import csv
import json
import math
import sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal, ROUND_HALF_EVEN, localcontext
from fractions import Fraction as F
from pathlib import Path
from zoneinfo import ZoneInfo

MONTH = 730
GIB = F(10**9, 2**30)


def rounded(x, places=10):
    """The nearest decimal, half to even."""
    scaled = F(x) * 10**places
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if rest > F(1, 2) or rest == F(1, 2) and whole % 2:
        whole += 1
    return F(whole, 10**places)


def text(x, places=10):
    """A fraction that has a finite expansion, as digits."""
    with localcontext() as c:
        c.prec = 200
        d = Decimal(x.numerator) / Decimal(x.denominator)
        d = d.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
    s = format(d, "f")
    s = s.rstrip("0").rstrip(".") if "." in s else s
    return "0" if s in ("-0", "") else s


def factor(x):
    """A float as a decimal of twelve places."""
    return F(Decimal(repr(x)).quantize(Decimal("1e-12"), rounding=ROUND_HALF_EVEN))


class Catalogue:
    """The tables."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.providers = {r["id"]: r for r in self.rows("providers")}
        self.gpus = {r["id"]: r for r in self.rows("gpus")}
        self.priors = {r["class"]: float(r["value"]) for r in self.rows("priors")}
        self.bands = {(r["provider"], r["region"], r["sku"]): r for r in self.rows("interruption")}
        self.offers = {}
        for r in self.rows("offers"):
            parts = [r["provider"], r["region"], r["sku"]] + ([r["variant"]] if r["variant"] else []) + [r["market"]]
            self.offers[".".join(fold(p) for p in parts)] = r
        self.storage = {(r["provider"], r["region"]): r for r in self.rows("storage")}
        self.egress = {}
        for r in self.rows("egress"):
            self.egress.setdefault((r["scope"], r["provider"], r["region"]), []).append(r)
        self.fx = {}
        for r in self.rows("fx"):
            self.fx.setdefault(r["currency"], []).append((r["month"], F(r["units_per_usd"])))
        for rates in self.fx.values():
            rates.sort()

    def rows(self, name):
        with open(self.folder / (name + ".csv"), encoding="utf-8", newline="") as f:
            return list(csv.DictReader(f))

    def per_usd(self, currency, as_of):
        """Units of a currency for a dollar: the latest month not after the date."""
        if currency == "USD":
            return F(1)
        rates = [rate for month, rate in self.fx[currency] if not as_of or month <= as_of[:7]]
        return rates[-1]

    def convert(self, amount, currency, as_of, to):
        if currency == to:
            return amount
        return amount * self.per_usd(to, "") / self.per_usd(currency, as_of)

    def gb_price(self, row, price):
        usd = F(price) / self.per_usd(row["currency"], row["as_of"])
        return usd * GIB if row["unit"] == "GiB" else usd

    def block(self, place):
        provider, region = place.split("/", 1)
        row = self.storage.get((provider, region)) or self.storage.get((provider, ""))
        return row or max(self.storage.values(), key=lambda r: self.gb_price(r, r["price"]))

    def leaving(self, place, scope):
        """The tiers of traffic: unit, currency, date, free volume, [(up to, price)]."""
        provider, region = place.split("/", 1)
        rows = self.egress.get((scope, provider, region)) or self.egress.get((scope, provider, ""))
        if not rows:
            every = [group for (s, _, _), group in self.egress.items() if s == scope]
            if not every:
                return "GB", None, "", F(0), []
            top = max(every, key=lambda group: self.gb_price(group[0], group[0]["price"]))[0]
            return top["unit"] or "GB", top["currency"], top["as_of"], F(0), [(None, F(top["price"]))]
        first = rows[0]
        tiers = [(F(r["up_to"]) if r["up_to"] else None, F(r["price"])) for r in rows]
        return first["unit"], first["currency"], first["as_of"], F(first["free_per_month"] or 0), tiers


def fold(name):
    out, dash = "", False
    for c in name.lower():
        if c.isascii() and (c.isalnum() or c == "_"):
            out, dash = out + c, False
        elif not dash and out:
            out, dash = out + "-", True
    return out.rstrip("-")


def hourly(row):
    """The price of one instance and hour."""
    price, gpus = F(row["price"]), F(row["gpus"] or 0)
    units = 1
    if row["min_gpus"] and gpus:
        units = max(1, -(-int(row["min_gpus"]) // int(gpus)))
    if row["basis"] == "per_instance_month":
        price /= MONTH
    if row["basis"] == "per_gpu_hour":
        price *= gpus
    return price * units


def gpus_of(row):
    gpus = F(row["gpus"] or 0)
    if row["min_gpus"] and gpus and gpus.denominator == 1:
        gpus *= max(1, -(-int(row["min_gpus"]) // int(gpus)))
    return gpus


class Bill:
    """One option's items of a month: (line, of, quantity, unit, price)."""

    def __init__(self, cat, currency, option):
        self.cat, self.currency, self.option = cat, currency, option

    def lost(self, row, stated):
        if stated is not None:
            return F(stated) / 100
        if row["market"] != "spot":
            return F(0)
        band = self.cat.bands.get((row["provider"], row["region"], row["sku"]))
        pct = min(float(band["high_pct"]), 99) if band and band["high_pct"] else 20.0
        low, high = -math.log(1 - pct / 100) / MONTH, 1 / 2.3
        return factor(min(math.sqrt(low * high) * ((300 + 1800) / 3600.0), 0.9))

    def own(self, row):
        """The tenant's own price of an instance-hour in the answer's currency; None without one."""
        most, best = 0, None
        for rule in self.option.get("discounts") or []:
            names = [("provider", "provider"), ("region", "region"), ("sku", "sku"), ("gpu", "gpu"), ("purchase_model", "market")]
            said = [(rule[a], row[b]) for a, b in names if rule.get(a)]
            if all(a == b for a, b in said) and len(said) >= most:
                most, best = len(said), rule
        if best is None:
            return None
        if "discount_pct" in best:
            listed = self.cat.convert(hourly(row), row["currency"], row["as_of"], self.currency)
            return listed * (100 - F(best["discount_pct"])) / 100
        return F(best["price_per_instance_hour"])

    def times(self, r, row, month):
        """Seconds of one instance: on, billed, setup, useful, interruption, idle."""
        provider = self.cat.providers[row["provider"]]
        step = int(row["billing_increment_s"] or 0) or int(provider["billing_increment_s"] or 0) or 3600
        least = int(provider["billing_minimum_s"] or 0)
        slow = 1 + F(r.get("storage_penalty_pct") or 0) / 100 + F(r.get("network_penalty_pct") or 0) / 100
        committed = row["market"].startswith("reserved")
        setup = -(-F(r.get("setup_minutes", "5" if "hours_per_run" in r else "0")) * 60 // 1)
        setup = math.ceil(F(r.get("setup_minutes", "5" if "hours_per_run" in r else "0")) * 60)
        start, starts, overlap = 0, F(0), False
        if "hours_per_run" in r:
            start = setup + math.ceil(F(r["hours_per_run"]) * slow * 3600)
            starts, overlap = F(r.get("runs_per_month", "1")) * month["share"], True
        elif "hours_per_day" in r or "days_per_month" in r:
            day = F(r.get("hours_per_day", "24"))
            if day != 24 or "days_per_month" in r:
                start = math.ceil(day * 3600)
                starts = F(r["days_per_month"]) * month["share"] if "days_per_month" in r else month["days"]
        whole = F(month["seconds"])
        if start and not overlap:
            starts = min(starts, whole / start)
        on = starts * start if start else whole
        billed = whole
        if start and not committed:
            billed = starts * max(least, -(-start // step) * step)
        setup = starts * min(setup, start)
        work = (on - setup) * F(r.get("utilization_pct", "100")) / 100
        interruption = work * self.lost(row, r.get("lost_work_pct"))
        return {"on": on, "billed": billed, "setup": setup, "instance": work - interruption,
                "interruption": interruption, "idle": billed - setup - work, "slow": slow, "overlap": overlap}

    def resource(self, r, number, month):
        row, of = self.cat.offers[r["offer_id"]], r.get("name") or "resource %d" % number
        n, t = r.get("instances", 1), self.times(r, row, month)
        price = self.cat.convert(hourly(row), row["currency"], row["as_of"], self.currency)
        items = [(line, of, t[line] * n / 3600, "instance-hour", price)
                 for line in ("instance", "idle", "interruption", "setup") if line == "instance" or t[line]]
        own = self.own(row)
        if own is not None:
            items.append(("discount", of, t["billed"] * n / 3600, "instance-hour", own - price))
        if r.get("disk_gb"):
            stays = r.get("disk_kept") == "always" or not r.get("disk_kept") and not t["overlap"]
            held = F(month["seconds"]) if stays else t["on"]
            items.append(self.disk(of, r["disk_gb"] * n, self.cat.block(row["provider"] + "/" + row["region"]), held))
        return items

    def disk(self, of, gb, row, seconds):
        price = self.cat.convert(F(row["price"]), row["currency"], row["as_of"], self.currency)
        volume = F(gb) * GIB if row["unit"] == "GiB" else F(gb)
        return ("storage", of, volume * seconds / (MONTH * 3600), row["unit"] + "-month", price)

    def network(self, month, used=None, growth=None):
        """The items of traffic; with growth each volume is that of the month, in thousands of bytes rounded up."""
        items = []
        used = {} if used is None else used
        for e in self.option.get("network") or []:
            if e["from"] == "internet" or e["from"] == e["to"]:
                continue
            provider = e["from"].split("/", 1)[0]
            scope = "inter_region" if e["to"].split("/", 1)[0] == provider else "internet"
            unit, currency, as_of, free, tiers = self.cat.leaving(e["from"], scope)
            if e.get("tiers"):
                unit, currency, as_of, free = "GB", self.currency, "", F(e.get("free_gb") or 0)
                tiers = [(F(t["up_to_gb"]) if t.get("up_to_gb") else None, F(t["price"])) for t in e["tiers"]]
            scale = GIB if unit == "GiB" else F(1)
            at, gb, share = used.get(provider, F(0)), F(e["gb_per_month"]), month["share"]
            if growth is not None:
                gb, share = F(math.ceil(gb * share * growth * 10**6), 10**6), F(1)
            end = (at + gb) * scale
            low = at * scale
            steps = [(free, F(0))] + [(free + up if up is not None else None, p) for up, p in tiers] + [(None, F(0))]
            floor = F(0)
            for up, price in steps:
                top = end if up is None else min(end, up)
                part = top - max(low, floor)
                if part > 0:
                    amount = self.cat.convert(price, currency or self.currency, as_of, self.currency)
                    items.append(("network", e.get("name") or e["from"] + " to " + e["to"], part * share, unit, amount))
                floor = max(floor, top)
            used[provider] = at + gb
        return items

    def items(self, month):
        out = []
        for i, r in enumerate(self.option.get("resources") or []):
            out += self.resource(r, i + 1, month)
        for i, s in enumerate(self.option.get("storage") or []):
            of = s.get("name") or "storage %d" % (i + 1)
            if s.get("price_per_gb_month"):
                row = {"price": s["price_per_gb_month"], "currency": self.currency, "as_of": "", "unit": "GB"}
            else:
                row = self.cat.block(s["place"])
            out.append(self.disk(of, F(s["gb"]), row, F(month["seconds"])))
        return out + self.network(month)

    def work(self, month):
        """(GPU, hours, efficiency, slowdown, PFLOP/s) of each GPU resource."""
        all_ = []
        for r in self.option.get("resources") or []:
            row = self.cat.offers[r["offer_id"]]
            gpu = self.cat.gpus.get(row["gpu"])
            if not gpu:
                continue
            t, n = self.times(r, row, month), gpus_of(row)
            eta = self.cat.priors[gpu["class"]]
            if n < 1:
                eta *= 0.9
            peak = next((float(gpu[k]) for k in ("bf16_tflops", "fp16_tflops", "fp32_tflops") if gpu[k] and float(gpu[k])), 0.0)
            all_.append((row["gpu"], t["instance"] * r.get("instances", 1) / 3600, F(r["efficiency"]) if r.get("efficiency") else factor(eta),
                         t["slow"], factor(peak) * n / 1000))
        return all_

    def tco(self):
        month = {"seconds": MONTH * 3600, "days": F(MONTH, 24), "share": F(1)}
        lines, sums = [], {}
        for line, of, quantity, unit, price in self.items(month):
            amount = rounded(quantity * price)
            lines.append([line, of, text(rounded(quantity)), unit, text(rounded(price)), text(rounded(quantity * price / MONTH)),
                          text(amount), text(amount * 12), text(amount * 36)])
            sums[line] = sums.get(line, F(0)) + amount
        work, shown, total = self.work(month), sum((sums.get(k, F(0)) for k in ("instance", "storage", "network")), F(0)), sum(sums.values(), F(0))
        hours = sum((h for _, h, _, _, _ in work), F(0))
        effective = sum((h * e / s for _, h, e, s, _ in work), F(0))
        power = sum((h * e / s * p for _, h, e, s, p in work), F(0))
        one = len({w[0] for w in work}) == 1
        figure = lambda ok, x: text(rounded(x())) if ok else None
        return {"lines": lines, "total": text(total),
                "per_effective_hour": figure(one and effective, lambda: shown / effective),
                "total_per_effective_hour": figure(one and effective, lambda: total / effective),
                "per_pflop_hour": figure(effective and all(w[4] for w in work), lambda: shown / power),
                "as_published": figure(one and effective, lambda: shown / hours * (sum(h * e for _, h, e, _, _ in work) / hours))}


def midnight(zone, year, month, day=1):
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return datetime(year, month, 1, tzinfo=zone) + timedelta(days=day - 1)


def seconds(begin, end):
    return int((end.astimezone(timezone.utc) - begin.astimezone(timezone.utc)).total_seconds())


def days(zone, said):
    """The midnight that a day or a month begins with, and the one after it."""
    parts = [int(p) for p in said.split("-")]
    if len(parts) == 2:
        return midnight(zone, *parts), midnight(zone, parts[0], parts[1] + 1)
    return midnight(zone, *parts), midnight(zone, *parts) + timedelta(days=1)


def powers(step, n):
    out = [F(1)]
    for _ in range(n):
        out.append(rounded(out[-1] * step, 12))
    return out


WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
NAMES = ["instance", "idle", "storage", "network", "interruption", "setup", "verification", "discount"]


def forecast(cat, request, computed_at):
    """Every workload's lines by month, and the months' sums."""
    zone, currency = ZoneInfo(request.get("time_zone", "UTC")), request.get("currency", "USD")
    now = datetime.fromisoformat(computed_at).astimezone(timezone.utc)
    year, month = (int(p) for p in request["start"].split("-"))
    n = request["months"]
    edges = [midnight(zone, year, month + i) for i in range(n + 1)]
    ahead = [(year - now.year) * 12 + month + i - now.month for i in range(n)]
    yearly = (request.get("price_trend") or {}).get("pct_per_year")
    monthly = factor(math.pow(1 + float(Decimal(yearly)) / 100, 1 / 12)) if yearly else F(1)
    prices = powers(monthly, max(0, ahead[-1]))
    pool = {}
    for i, c in enumerate(request.get("commitments") or []):
        row = cat.offers[c["offer_id"]]
        first = [int(p) for p in c.get("start", request["start"]).split("-")]
        late = (first[0] - year) * 12 + first[1] - month
        term = c.get("months", 12 if row["market"] == "reserved_1y" else 36)
        pool[i] = (row, c, range(late, late + term))
    out = {"workloads": [], "months": []}
    rows = [{"name": w["name"], "lines": [{} for _ in range(n)]} for w in request["workloads"]]
    kept = [{"name": c.get("name") or "commitment %d" % (i + 1), "lines": [{} for _ in range(n)]} for i, c in enumerate(request.get("commitments") or [])]
    add = lambda lines, line, amount: lines.__setitem__(line, lines.get(line, F(0)) + amount)
    for m in range(n):
        begin, end = edges[m], edges[m + 1]
        all_days = (end.replace(tzinfo=None) - begin.replace(tzinfo=None)).days
        used = {}
        left = {i: F(c.get("instances", 1)) if m in span else F(0) for i, (row, c, span) in pool.items()}
        taken = {i: F(0) for i in pool}
        for w, kept_rows in zip(request["workloads"], rows):
            start = days(zone, w["start"])[0] if w.get("start") else None
            until = days(zone, w["end"])[1] if w.get("end") else None
            lo, hi = max(begin, start or begin), min(end, until or end)
            if hi <= lo:
                continue
            active = [lo + timedelta(days=d) for d in range((hi.replace(tzinfo=None) - lo.replace(tzinfo=None)).days)]
            on = [d for d in active if not w.get("weekdays") or WEEKDAYS[d.weekday()] in w["weekdays"]]
            span = {"seconds": seconds(lo, hi), "days": F(len(on)), "share": F(len(active), all_days)}
            late = (start.year - year) * 12 + start.month - month if start else 0
            growth = powers(1 + F(w.get("growth_pct_per_month") or 0) / 100, n - min(late, 0))[max(0, m - late)]
            price = prices[max(0, ahead[m])]
            bill = Bill(cat, currency, w)
            lines = kept_rows["lines"][m]
            for number, r in enumerate(w.get("resources") or []):
                row = cat.offers[r["offer_id"]]
                moves = F(1) if row["market"].startswith("reserved") else price
                both = rounded(growth * moves, 12)
                if row["market"] == "on_demand" and pool:
                    wanted, size = r.get("instances", 1) * growth, F(r.get("instances", 1))
                    hours = bill.times(r, row, span)["billed"] / 3600
                    for i, (held, _, _) in pool.items():
                        if (held["provider"], held["region"], held["sku"]) == (row["provider"], row["region"], row["sku"]):
                            take = min(left[i], wanted)
                            left[i] -= take
                            wanted -= take
                            taken[i] += hours * take
                    both = wanted / size * moves
                for line, _, quantity, _, unit in bill.resource(r, number + 1, span):
                    add(lines, line, rounded(quantity * unit * (growth if line == "storage" else both)))
            for s in w.get("storage") or []:
                row = cat.block(s["place"])
                if s.get("price_per_gb_month"):
                    row = {"price": s["price_per_gb_month"], "currency": currency, "as_of": "", "unit": "GB"}
                _, _, quantity, _, unit = bill.disk("", F(s["gb"]), row, F(span["seconds"]))
                add(lines, "storage", rounded(quantity * unit * growth))
            for _, _, quantity, _, unit in bill.network(span, used, growth):
                add(lines, "network", rounded(quantity * unit))
        for i, (row, c, span) in pool.items():
            if m in span:
                unit = cat.convert(hourly(row), row["currency"], row["as_of"], currency)
                whole = F(seconds(begin, end), 3600) * c.get("instances", 1)
                add(kept[i]["lines"][m], "instance", rounded(taken[i] * unit))
                add(kept[i]["lines"][m], "idle", rounded((whole - taken[i]) * unit))
    total = F(0)
    for m in range(n):
        spent = sum((sum(row["lines"][m].values(), F(0)) for row in rows + kept), F(0))
        total += spent
        out["months"].append([edges[m].strftime("%Y-%m"), text(F(seconds(edges[m], edges[m + 1]), 3600)), text(spent), text(total)])
    for row in rows + kept:
        out["workloads"].append({"name": row["name"], "months": [
            {line: text(lines[line]) for line in NAMES if lines.get(line)} for lines in row["lines"]]})
    return out


def tco(cat, request):
    currency = request.get("currency", "USD")
    return [Bill(cat, currency, option).tco() for option in [request] + (request.get("compare") or [])]


def main():
    asked = json.load(sys.stdin)
    cat = Catalogue(asked["catalogue"])
    answer = {"/v1/tco": tco, "/v1/forecast": lambda cat, request: forecast(cat, request, asked["computed_at"])}
    json.dump([answer[c["path"]](cat, c["request"]) for c in asked["cases"]], sys.stdout)


if __name__ == "__main__":
    main()
