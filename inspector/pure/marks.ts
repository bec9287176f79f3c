import type { StateRow } from './things.ts'

/** How something stands, for a colour. */
export type Tone = 'good' | 'bad' | 'odd' | ''

const tones: Readonly<Record<string, Tone>> = {
  running: 'good',
  ready: 'good',
  active: 'good',
  connected: 'good',
  successful: 'good',
  failed: 'bad',
  lost: 'bad',
  down: 'bad',
  errored: 'bad',
  sealed: 'bad',
  disconnected: 'bad',
  unknown: 'odd',
  pending: 'odd',
  queued: 'odd',
  blocked: 'odd',
  paused: 'odd',
  ineligible: 'odd',
}

/** How good a status is. */
export function toneOf(status: string): Tone {
  return tones[status] ?? ''
}

/** The status that a row tells; undefined where it has none. */
export function statusOf(row: StateRow): string | undefined {
  const status = row['ClientStatus'] ?? row['Status'] ?? row['status']
  return typeof status === 'string' && status !== '' ? status : undefined
}

const ends = ['expires', 'expires_at', 'expire_time', 'expire_at', 'expired_at', 'ExpirationTime']

/** When something ends, in milliseconds since 1970; undefined where its row tells no end. */
export function endOf(row: StateRow): number | undefined {
  const end = ends.map((name) => row[name]).find(Boolean)
  if (end === undefined) return undefined
  return typeof end === 'number' ? end : Date.parse(String(end))
}
