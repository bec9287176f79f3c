import { describe, expect, test } from 'vitest'
import { traceSummary } from '../../../routes/trace/summary.ts'
import type { TraceStep } from '../../../routes/trace/trace.ts'
import { requestStep, tracedWorld, traceOf } from '../../support/traces.ts'

/** Returns the step of a refused request. */
function refused(because: string, members: { id?: string; path?: string } = {}): TraceStep {
  const step = requestStep({
    method: 'POST',
    status: 403,
    outcome: 'refused',
    rule: 'permission-denied',
    ...members,
  })
  if (step.kind !== 'request') throw new Error('expected a request')
  const { id, method, path } = step.entry
  return {
    ...step,
    explanation: {
      id,
      request: { method, path },
      status: 403,
      outcome: 'refused',
      rule: 'permission-denied',
      because,
      spec: 'behaviour/secrets#policies',
      decision: null,
      steps: [],
      nearest: [],
      wouldPass: { change: 'Grant update on secret/data/app.' },
    },
  }
}

const open = {
  id: 'r3',
  service: 'mesh',
  method: 'GET',
  path: '/v1/kv/a',
  at: '2026-01-01T00:00:00Z',
  ageMs: 61_500,
  worldAgeMs: 0,
}

describe('behaviour/program#traces: the summary', () => {
  test('names the run, each refusal with its reason, and the file', () => {
    const steps = [requestStep(), refused('the policy "app" does not grant update', { id: 'r2' })]
    const trace = traceOf({
      worlds: [tracedWorld({ steps, open: [open], missing: 2 })],
      unattributed: [
        { ms: 5, kind: 'unknown-world', detail: 'there is no world "x"', method: 'GET', path: '/' },
        { ms: 6, kind: 'tls-error', detail: 'wrong version number' },
      ],
    })
    expect(traceSummary(trace, '/tmp/t.html')).toBe(
      [
        '## Trace of `pytest`',
        '',
        '- Exit code: 1',
        '- Requests: 2 in 1 world, of which 1 failed',
        '- Version 1.2.3, vendor dialect',
        '- Trace: `/tmp/t.html`',
        '',
        '### World `default`',
        '',
        '- `r2 POST /v1/secret/data/app` 403 after 0.01 s, refused (`permission-denied`): `the policy "app" does not grant update`',
        '  - To pass: `Grant update on secret/data/app.`',
        '- `r3 GET /v1/kv/a` has no answer yet, after 61.50 s',
        '- 2 requests left out, because the trace has reached its limit',
        '',
        '### Requests that reached no world',
        '',
        '- `GET /` after 0.01 s, unknown-world: `there is no world "x"`',
        '- after 0.01 s, tls-error: `wrong version number`',
        '',
      ].join('\n'),
    )
  })

  test('names the test with its error, and kept values', () => {
    const { run } = traceOf()
    const error = { text: 'expected 403 to be 200', at: 'a.test.ts:3:1' }
    const traced = { file: 'a.test.ts', title: 'writes', result: 'failed', error } as const
    const summary = traceSummary(
      traceOf({
        run: { ...run, test: traced, keepsValues: true, flags: ['--tls'], fixtures: ['f.yaml'] },
      }),
      't.html',
    )
    expect(summary.split('\n').slice(0, 10)).toEqual([
      '## Trace of `writes`',
      '',
      '- Test: `a.test.ts`, failed',
      '- Error: `expected 403 to be 200` at `a.test.ts:3:1`',
      '- Command: `pytest`',
      '- Exit code: 1',
      '- Requests: 0 in 1 world, of which 0 failed',
      '- Version 1.2.3, vendor dialect',
      '- Flags: `--tls`',
      '- Fixtures: `f.yaml`',
    ])
    expect(summary).toContain('**The trace holds the values of secrets.**')
  })

  test('says that no request arrived, with the addresses', () => {
    expect(traceSummary(traceOf(), 't.html')).toContain(
      [
        '### No request arrived',
        '',
        'The run got these addresses:',
        '',
        '- `VAULT_ADDR`: `http://127.0.0.1:8200`',
        '',
      ].join('\n'),
    )
  })

  test('shows markup as text', () => {
    const path = '/v1/kv/</script>``\n# heading\u2028[link](x)\0'
    const steps = [refused('`` <img src=x>', { path })]
    const summary = traceSummary(traceOf({ worlds: [tracedWorld({ steps })] }), 't.html')
    expect(summary).toContain('- ``` r1 POST /v1/kv/</script>`` # heading [link](x) ``` 403')
    expect(summary).toContain(': ``` `` <img src=x> ```\n')
    expect(summary).not.toMatch(/^# heading/m)
  })

  test('is at most 1 MiB, and names the parts that are left out', () => {
    const steps = Array.from({ length: 2000 }, (_, at) =>
      refused('é'.repeat(5000), { id: `r${at}` }),
    )
    const summary = traceSummary(traceOf({ worlds: [tracedWorld({ steps })] }), 't.html')
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024)
    expect(Buffer.byteLength(summary)).toBeGreaterThan(1000 * 1024)
    expect(summary).toMatch(/\nThe summary is limited to 1 MiB; \d+ lines are left out\.\n$/)
  })
})
