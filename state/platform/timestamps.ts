import { formatTimestamp } from '../kernel/time.ts'

/** An instant as `created-at` and `updated-at` write it: UTC with milliseconds and `Z`. */
export function attributeTime(instant: number): string {
  const milliseconds = String(Math.floor(instant) % 1000).padStart(3, '0')
  return `${secondsOf(instant)}.${milliseconds}Z`
}

/** An instant as `status-timestamps` write it: whole seconds with `+00:00`. */
export function statusTime(instant: number): string {
  return `${secondsOf(instant)}+00:00`
}

function secondsOf(instant: number): string {
  return formatTimestamp(Math.floor(instant / 1000) * 1000).slice(0, -1)
}
