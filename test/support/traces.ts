import type { Entry } from '../../routes/journal/entry.ts'
import type { Trace, TracedWorld, TraceStep } from '../../routes/trace/trace.ts'

const start = '2026-01-01T00:00:00Z'

/** Returns a journal entry with defaults for omitted members. */
export function tracedEntry(members: Partial<Entry> = {}): Entry {
  return {
    id: 'r1',
    world: 'default',
    sequence: 1,
    at: start,
    service: 'secrets',
    operation: 'readSecretVersion',
    method: 'GET',
    path: '/v1/secret/data/app',
    query: {},
    headers: {},
    caller: null,
    status: 200,
    responseHeaders: {},
    durationMs: 1,
    committed: false,
    index: { before: 1, after: 1 },
    changes: [],
    fault: null,
    outcome: 'served',
    rule: null,
    ...members,
  }
}

/** Returns the trace step of a request, with defaults for omitted members of its entry. */
export function requestStep(members: Partial<Entry> = {}): TraceStep {
  const entry = tracedEntry(members)
  return { kind: 'request', ms: 10, at: entry.at, entry, round: 0, faults: [], nearMisses: [] }
}

/** Returns a traced world with defaults for omitted members. */
export function tracedWorld(members: Partial<TracedWorld> = {}): TracedWorld {
  return {
    id: 'default',
    madeAt: 0,
    deleted: false,
    services: { secrets: { url: 'http://127.0.0.1:8200' } },
    options: { secrets: { dialect: 'vendor' } },
    start: {},
    steps: [],
    open: [],
    clock: { mode: 'frozen', now: start, next: null },
    due: { due: [], total: 0 },
    machines: [],
    faults: [],
    report: '# Report',
    missing: 0,
    ...members,
  }
}

/** Returns a trace with defaults for omitted members. */
export function traceOf(members: Partial<Trace> = {}): Trace {
  return {
    format: 1,
    version: '1.2.3',
    run: {
      startedAt: start,
      writtenAt: '2026-01-01T00:00:05Z',
      command: ['pytest'],
      exitCode: 1,
      flags: [],
      fixtures: [],
      dialect: 'vendor',
      addresses: { VAULT_ADDR: 'http://127.0.0.1:8200' },
      keepsValues: false,
    },
    worlds: [tracedWorld()],
    unattributed: [],
    controlCalls: [],
    ...members,
  }
}
