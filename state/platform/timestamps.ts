import { formatTimestamp } from '../kernel/time.ts'

/** Formats an instant for attributes such as `created-at`: UTC with milliseconds and `Z`. */
export function attributeTime(instant: number): string {
  const milliseconds = String(Math.floor(instant) % 1000).padStart(3, '0')
  return `${secondsOf(instant)}.${milliseconds}Z`
}

/** Formats an instant for `status-timestamps`: whole seconds with `+00:00`. */
export function statusTime(instant: number): string {
  return `${secondsOf(instant)}+00:00`
}

/** Formats an instant for notifications about workspaces: whole seconds with `Z`. */
export function notificationTime(instant: number): string {
  return `${secondsOf(instant)}Z`
}

function secondsOf(instant: number): string {
  return formatTimestamp(Math.floor(instant / 1000) * 1000).slice(0, -1)
}
