import { formatDuration } from '../../pure/text.ts'

/** How far off a moment is. */
export function RelativeTime({ now, at }: { readonly now: string; readonly at: string }) {
  const difference = Date.parse(at) - Date.parse(now)
  return (
    <span class="muted away">
      {difference > 0 ? `in ${formatDuration(difference)}` : `${formatDuration(difference)} ago`}
    </span>
  )
}
