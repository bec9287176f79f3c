import type { StateRow } from './items.ts'

/** How something stands, for a colour. */
export type StatusTone = 'good' | 'bad' | 'odd' | ''

const toneByStatus: Readonly<Record<string, StatusTone>> = {
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
export function toneOf(status: string): StatusTone {
  return toneByStatus[status] ?? ''
}

/** The status that a row tells; undefined where it has none. */
export function statusOf(row: StateRow): string | undefined {
  const status = row['ClientStatus'] ?? row['Status'] ?? row['status']
  return typeof status === 'string' && status !== '' ? status : undefined
}

const expiryColumns = [
  'expires',
  'expires_at',
  'expire_time',
  'expire_at',
  'expired_at',
  'ExpirationTime',
]

/** When something ends, in milliseconds since 1970; undefined where its row tells no end. */
export function expiryOf(row: StateRow): number | undefined {
  const expiry = expiryColumns.map((name) => row[name]).find(Boolean)
  if (expiry === undefined) return undefined
  return typeof expiry === 'number' ? expiry : Date.parse(String(expiry))
}
