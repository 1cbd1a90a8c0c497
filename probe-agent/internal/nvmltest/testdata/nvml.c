/* A libnvidia-ml.so.1 without a GPU. It answers from the text file that FAKE_NVML names,
 * read again whenever it is replaced. A line is a key and a value; a key may begin with
 * "gpu3." to be of that GPU alone. A number is a value, "!15" an NVML return code, "hang"
 * a call that never returns, "5+2/s" a counter that grows by 2 a second from 5. What the
 * file does not name is not supported. "fail !18" makes every call of a device fail. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef int ret;
typedef unsigned u32;
typedef unsigned long long u64;
typedef struct { int index; } *dev;
enum { OK = 0, INVALID = 2, UNSUPPORTED = 3, TIMEOUT = 10 };

static struct { char key[64], value[128]; } lines[512];
static int count, inited;
static struct stat seen;
static struct timespec start;
static int indexes[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void load(void) {
	const char *path = getenv("FAKE_NVML");
	struct stat now;
	FILE *f;
	char line[256];
	if (!path || stat(path, &now) || (now.st_ino == seen.st_ino && now.st_mtim.tv_nsec == seen.st_mtim.tv_nsec && now.st_size == seen.st_size))
		return;
	if (!(f = fopen(path, "r")))
		return;
	seen = now;
	for (count = 0; count < 512 && fgets(line, sizeof line, f);)
		if (sscanf(line, "%63s %127[^\n]", lines[count].key, lines[count].value) == 2)
			count++;
	fclose(f);
}

static int find(const char *key, char *value) {
	for (int i = 0; i < count; i++)
		if (!strcmp(lines[i].key, key))
			return strcpy(value, lines[i].value), 1;
	return 0;
}

/* text finds a key, of one GPU first. */
static ret text(int index, const char *key, char *value) {
	char own[80];
	int ok;
	pthread_mutex_lock(&lock);
	load();
	snprintf(own, sizeof own, "gpu%d.fail", index);
	ok = index >= 0 && (find(own, value) || find("fail", value));
	snprintf(own, sizeof own, "gpu%d.%s", index, key);
	ok = ok || find(own, value) || find(key, value);
	pthread_mutex_unlock(&lock);
	if (!ok)
		return UNSUPPORTED;
	if (!strcmp(value, "hang"))
		for (;;)
			pause();
	return *value == '!' ? atoi(value + 1) : OK;
}

static ret number(int index, const char *key, double *v) {
	char value[128];
	double rate = 0;
	struct timespec now;
	ret r = text(index, key, value);
	if (r)
		return r;
	if (sscanf(value, "%lf+%lf/s", v, &rate) == 2) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		*v += rate * (now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9);
	}
	return OK;
}

static ret whole(int index, const char *key, u32 *v) {
	double d;
	ret r = number(index, key, &d);
	if (!r)
		*v = (u32)(long long)d;
	return r;
}

static ret words(int index, const char *key, char *out, u32 size) {
	char value[128];
	ret r = text(index, key, value);
	if (!r)
		snprintf(out, size, "%s", value);
	return r;
}

ret nvmlInit_v2(void) {
	char value[128];
	ret r = text(-1, "init", value);
	if (r != OK && r != UNSUPPORTED)
		return r;
	if (!inited++)
		clock_gettime(CLOCK_MONOTONIC, &start);
	return OK;
}
ret nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(ret r) { (void)r; abort(); } /* real ones have crashed here */
ret nvmlSystemGetDriverVersion(char *s, u32 n) { return words(-1, "driver", s, n); }
ret nvmlSystemGetNVMLVersion(char *s, u32 n) { return words(-1, "nvml", s, n); }
ret nvmlSystemGetCudaDriverVersion(int *v) { return whole(-1, "cuda", (u32 *)v); }
ret nvmlDeviceGetCount_v2(u32 *n) { return whole(-1, "count", n); }
ret nvmlDeviceGetHandleByIndex_v2(u32 i, dev *d) {
	if (i >= 64)
		return INVALID;
	indexes[i] = i;
	*d = (dev)&indexes[i];
	return OK;
}

#define U32(function, key) ret function(dev d, u32 *v) { return whole(d->index, key, v); }
#define U64(function, key) ret function(dev d, u64 *v) { double x; ret r = number(d->index, key, &x); if (!r) *v = x; return r; }
#define TEXT(function, key) ret function(dev d, char *s, u32 n) { return words(d->index, key, s, n); }
#define CLOCK(function, key) ret function(dev d, u32 kind, u32 *v) { return whole(d->index, kind == 2 ? key "_memory" : key, v); }

TEXT(nvmlDeviceGetName, "name")
TEXT(nvmlDeviceGetUUID, "uuid")
TEXT(nvmlDeviceGetSerial, "serial")
CLOCK(nvmlDeviceGetClockInfo, "clock")
CLOCK(nvmlDeviceGetMaxClockInfo, "clock_max")
CLOCK(nvmlDeviceGetApplicationsClock, "clock_application")
U64(nvmlDeviceGetCurrentClocksEventReasons, "reasons")
U64(nvmlDeviceGetCurrentClocksThrottleReasons, "reasons")
U32(nvmlDeviceGetPowerUsage, "power")
U32(nvmlDeviceGetEnforcedPowerLimit, "limit")
U32(nvmlDeviceGetPowerManagementDefaultLimit, "limit_default")
U64(nvmlDeviceGetTotalEnergyConsumption, "energy")
ret nvmlDeviceGetTemperature(dev d, u32 sensor, u32 *v) { (void)sensor; return whole(d->index, "temperature", v); }
ret nvmlDeviceGetTemperatureV(dev d, struct { u32 version, sensor, value; } *v) { return whole(d->index, "temperature", &v->value); }
ret nvmlDeviceGetTemperatureThreshold(dev d, u32 kind, u32 *v) { (void)kind; return whole(d->index, "slowdown", v); }
struct versioned { u32 version, value; };
ret nvmlDeviceGetMarginTemperature(dev d, struct versioned *v) { return whole(d->index, "margin", &v->value); }
ret nvmlDeviceGetAddressingMode(dev d, struct versioned *v) { return whole(d->index, "addressing", &v->value); }
ret nvmlGpmQueryDeviceSupport(dev d, struct versioned *v) { return whole(d->index, "gpm", &v->value); }
ret nvmlDeviceGetUtilizationRates(dev d, struct { u32 gpu, memory; } *u) {
	ret r = whole(d->index, "utilization", &u->gpu);
	u->memory = 0;
	return r;
}
static ret memory(dev d, u64 *total, u64 *used) {
	double t, u = 0;
	ret r = number(d->index, "memory", &t);
	if (r)
		return r;
	number(d->index, "memory_used", &u);
	*total = t, *used = u;
	return OK;
}
ret nvmlDeviceGetMemoryInfo(dev d, struct { u64 total, free, used; } *m) { return memory(d, &m->total, &m->used); }
ret nvmlDeviceGetMemoryInfo_v2(dev d, struct { u32 version; u64 total, reserved, free, used; } *m) { return memory(d, &m->total, &m->used); }
ret nvmlDeviceGetEccMode(dev d, u32 *now, u32 *pending) { *pending = 0; ret r = whole(d->index, "ecc", now); *pending = *now; return r; }
ret nvmlDeviceGetTotalEccErrors(dev d, u32 kind, u32 since, u64 *n) {
	char key[32];
	double v;
	snprintf(key, sizeof key, "ecc_%s_%s", kind ? "uncorrected" : "corrected", since ? "aggregate" : "volatile");
	ret r = number(d->index, key, &v);
	if (!r)
		*n = v;
	return r;
}
ret nvmlDeviceGetRemappedRows(dev d, u32 *c, u32 *u, u32 *pending, u32 *failure) {
	*u = *pending = *failure = 0;
	whole(d->index, "remap_failure", failure);
	return whole(d->index, "remapped", c);
}
U32(nvmlDeviceGetRetiredPagesPendingStatus, "retirement_pending")
U32(nvmlDeviceGetCurrPcieLinkGeneration, "pcie")
U32(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
U32(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_max")
U32(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max")
U32(nvmlDeviceGetGpuMaxPcieLinkGeneration, "pcie_max_device")
U32(nvmlDeviceGetPcieReplayCounter, "replays")
U32(nvmlDeviceGetVirtualizationMode, "virtualization")
U32(nvmlDeviceGetPersistenceMode, "persistence")
ret nvmlDeviceGetMigMode(dev d, u32 *now, u32 *pending) { *pending = 0; return whole(d->index, "mig", now); }
ret nvmlDeviceGetCudaComputeCapability(dev d, int *major, int *minor) {
	double v;
	ret r = number(d->index, "capability", &v);
	if (!r)
		*major = v, *minor = (int)(v * 10 + 0.5) % 10;
	return r;
}
ret nvmlDeviceGetComputeRunningProcesses_v3(dev d, u32 *n, void *infos) {
	u32 found, room = *n;
	ret r = whole(d->index, "processes", &found);
	if (r)
		return r;
	*n = found;
	if (found > room)
		return 7;
	memset(infos, 0, 24 * found);
	return OK;
}
struct pci { char legacy[16]; u32 domain, bus, device, id, subsystem; char bus_id[32]; };
static ret pci(int index, const char *key, struct pci *p) {
	u32 id = 0;
	ret r = text(index, key, (char[128]){0});
	if (r)
		return r;
	memset(p, 0, sizeof *p);
	whole(index, key, &id);
	p->bus = index + 1;
	p->id = id << 16 | 0x10de;
	return OK;
}
ret nvmlDeviceGetPciInfo_v3(dev d, struct pci *p) { return pci(d->index, "pci_device", p); }
ret nvmlDeviceGetGpuFabricInfoV(dev d, struct { u32 version; unsigned char cluster[16]; u32 status, clique; unsigned char state; u32 health; } *f) {
	u32 state;
	ret r = whole(d->index, "fabric", &state);
	if (!r)
		f->state = state;
	return r;
}

struct field { u32 id, scope; long long at, latency; u32 type, code; union { double d; u64 u; } value; };
ret nvmlDeviceGetFieldValues(dev d, int n, struct field *f) {
	char key[32];
	ret r = text(d->index, "fields", (char[128]){0});
	if (r && r != UNSUPPORTED)
		return r;
	for (int i = 0; i < n; i++) {
		snprintf(key, sizeof key, "field%u", f[i].id);
		f[i].type = 0;
		f[i].value.d = 0; /* what a careless reader would take for a temperature */
		f[i].code = number(d->index, key, &f[i].value.d);
	}
	return OK;
}

ret nvmlDeviceGetTopologyCommonAncestor(dev a, dev b, u32 *level) { (void)b; return whole(a->index, "ancestor", level); }
ret nvmlDeviceGetP2PStatus(dev a, dev b, u32 kind, u32 *status) { (void)b, (void)kind; return whole(a->index, "p2p", status); }
static ret nvlink(dev d, u32 i, const char *key, u32 *v) {
	u32 links;
	ret r = whole(d->index, "nvlinks", &links);
	return r ? r : i >= links ? UNSUPPORTED : whole(d->index, key, v);
}
ret nvmlDeviceGetNvLinkState(dev d, u32 i, u32 *active) { return nvlink(d, i, "nvlink_active", active); }
ret nvmlDeviceGetNvLinkVersion(dev d, u32 i, u32 *version) { return nvlink(d, i, "nvlink_version", version); }
ret nvmlDeviceGetNvLinkRemoteDeviceType(dev d, u32 i, u32 *kind) { return nvlink(d, i, "nvlink_remote_type", kind); }
ret nvmlDeviceGetNvLinkRemotePciInfo_v2(dev d, u32 i, struct pci *p) { (void)i; return pci(d->index, "nvlink_remote", p); }

ret nvmlEventSetCreate(void **set) { *set = &lock; return OK; }
ret nvmlEventSetFree(void *set) { (void)set; return OK; }
ret nvmlDeviceRegisterEvents(dev d, u64 kinds, void *set) { (void)kinds, (void)set; return text(d->index, "events", (char[128]){0}); }
struct event { dev device; u64 kind, data; u32 gi, ci; };
/* "event 2 5 79" is the second event: GPU 5, Xid 79. Each is told once. */
ret nvmlEventSetWait_v2(void *set, struct event *e, u32 timeout) {
	static int told;
	char value[128];
	int n, gpu, xid;
	(void)set, (void)timeout;
	if (text(-1, "event", value) || sscanf(value, "%d %d %d", &n, &gpu, &xid) != 3 || n <= told)
		return TIMEOUT;
	told = n;
	memset(e, 0, sizeof *e);
	e->device = (dev)&indexes[gpu], e->kind = 8, e->data = xid;
	return OK;
}

ret nvmlGpmSampleAlloc(void **s) { return (*s = malloc(1)) ? OK : 20; }
ret nvmlGpmSampleFree(void *s) { free(s); return OK; }
ret nvmlGpmSampleGet(dev d, void *s) { (void)s; return text(d->index, "gpm_sm", (char[128]){0}); }
struct gpm { u32 version, n; void *a, *b; struct { u32 id, code; double value; char *names[3]; } metrics[477]; };
ret nvmlGpmMetricsGet(struct gpm *g) {
	for (u32 i = 0; i < g->n; i++)
		g->metrics[i].code = number(-1, g->metrics[i].id == 2 ? "gpm_sm" : g->metrics[i].id == 5 ? "gpm_tensor" : "gpm_dram", &g->metrics[i].value);
	return OK;
}
