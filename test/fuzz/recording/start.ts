import type { RecordingStart } from './format.ts'

/**
 * Returns the mounts that a fresh world lacks, with the dialect's name of the orchestrator login.
 */
const mounts = (orch: string) => ({
  'transit/': { type: 'transit' },
  'auth/approle/': { type: 'approle' },
  'auth/userpass/': { type: 'userpass' },
  'auth/jwt/': { type: 'jwt' },
  [`auth/${orch}/`]: { type: 'orch' },
})

/** Flags that set up a recording. */
interface Flags {
  readonly dialect?: string | undefined
  readonly seed?: string | undefined
  readonly requests?: string | undefined
}

/**
 * Returns the settings that start the server of a recording.
 *
 * @throws {Error} if a flag is invalid
 */
export function startOf({ dialect = 'neutral', seed = 'first', requests = '20000' }: Flags) {
  if (dialect !== 'neutral' && dialect !== 'vendor') {
    throw new Error(`--dialect must be neutral or vendor, not ${dialect}`)
  }
  if (!(Number(requests) >= 0)) throw new Error(`--requests must be a number, not ${requests}`)
  const start: RecordingStart = {
    format: 1,
    dialect,
    seed,
    requests: Number(requests),
    args: [
      ...['--port=0', '--secrets-port=0', '--platform-port=0'],
      ...['--mesh-port=0', '--scheduler-port=0', '--acl', '--log-level=fatal'],
      ...['--clock=frozen@2026-01-01T00:00:00Z', `--seed=${seed}`, `--dialect=${dialect}`],
    ],
    fixtures: JSON.stringify({
      secrets: { mounts: mounts(dialect === 'vendor' ? 'kubernetes' : 'orch') },
    }),
  }
  return start
}
