import type { StateRow } from './items.ts'

/** Tone of a status, which decides its colour. */
type StatusTone = 'good' | 'bad' | 'odd' | ''

const toneByStatus: Readonly<Record<string, StatusTone>> = {
  running: 'good',
  ready: 'good',
  active: 'good',
  connected: 'good',
  successful: 'good',
  passing: 'good',
  applied: 'good',
  planned_and_finished: 'good',
  valid: 'good',
  current: 'good',
  failed: 'bad',
  lost: 'bad',
  down: 'bad',
  errored: 'bad',
  critical: 'bad',
  revoked: 'bad',
  warning: 'odd',
  canceled: 'odd',
  force_canceled: 'odd',
  discarded: 'odd',
  sealed: 'bad',
  disconnected: 'bad',
  unknown: 'odd',
  pending: 'odd',
  queued: 'odd',
  blocked: 'odd',
  paused: 'odd',
  ineligible: 'odd',
  expired: 'odd',
  ended: 'odd',
  'not yet valid': 'odd',
}

export function toneOf(status: string): StatusTone {
  return toneByStatus[status] ?? ''
}

/** Returns the status in a row; undefined if it has none. */
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

/** Returns the expiry time in a row, in milliseconds since 1970; undefined without one. */
export function expiryOf(row: StateRow): number | undefined {
  const expiry = expiryColumns.map((name) => row[name]).find(Boolean)
  if (expiry === undefined) return undefined
  return typeof expiry === 'number' ? expiry : Date.parse(String(expiry))
}
