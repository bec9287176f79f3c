import { formatDuration } from '../../pure/text.ts'

/** Renders the distance between a time and the present. */
export function RelativeTime({ now, at }: { readonly now: string; readonly at: string }) {
  const difference = Date.parse(at) - Date.parse(now)
  return (
    <span class="muted away">
      {difference > 0 ? `in ${formatDuration(difference)}` : `${formatDuration(difference)} ago`}
    </span>
  )
}
