import { stateAfter } from '../../../routes/trace/past-state.ts'
import { traceSummary } from '../../../routes/trace/summary.ts'
import type { Trace, TracedWorld } from '../../../routes/trace/trace.ts'

/** Pattern that the findings of each failing test must match, by the title of the test. */
export const causes: Readonly<Record<string, RegExp>> = {
  'wrong cas': /POST \/v1\/secret\/data\/app` 400 .*`options\.cas is 0, but app is at version 1\.`/,
  'expired token': /GET \/v1\/auth\/token\/lookup-self` 403 .*: `the token \S+ expired at /,
  'job that never runs': /evaluation of web: blocked, no node could take web/,
  'denied path':
    /GET \/v1\/secret\/data\/other` 403 .* lacks the capability read at secret\/data\/other/,
  'sealed node': /GET \/v1\/secret\/data\/app` 503 .*`the node is sealed /,
  'nothing arrived': /### No request arrived\n[^#]*- `VAULT_ADDR`: `http:\/\/127\.0\.0\.1:\d+`/,
  // The second alternative applies if the client has given up and closed its connection.
  'hung blocking read': /`r3 GET \/v1\/kv\/lock` (?:has no answer yet|no status .*, aborted)/,
}

/** Returns the findings in a trace: its summary, and the blocked evaluations of jobs. */
export function findingsOf(trace: Trace): string {
  return [traceSummary(trace, 'trace.html'), ...trace.worlds.flatMap(blockedEvaluations)].join('\n')
}

/** Returns a trace with only one of its worlds, and without requests that reached no world. */
export function traceOfWorld(trace: Trace, world: TracedWorld): Trace {
  return { ...trace, worlds: [world], unattributed: [] }
}

/** Returns a line for each evaluation that waits for nodes at the end of the run. */
function blockedEvaluations(world: TracedWorld): readonly string[] {
  const evaluations = Object.values(stateAfter(world)['scheduler.evaluations'] ?? {})
  return evaluations.flatMap((evaluation) => {
    const { JobID, Status, FailedTGAllocs } = evaluation as unknown as {
      readonly JobID: string
      readonly Status: string
      readonly FailedTGAllocs: object | null
    }
    if (Status !== 'blocked') return []
    const groups = Object.keys(FailedTGAllocs ?? {}).join(', ')
    return [`evaluation of ${JobID}: ${Status}, no node could take ${groups}`]
  })
}
