import { formatDuration } from '../../pure/text.ts'

/** Renders how far a time is from the present, such as `in 5 s` or `5 s ago`. */
export function RelativeTime({ now, at }: { readonly now: string; readonly at: string }) {
  const difference = Date.parse(at) - Date.parse(now)
  return (
    <span class="muted away">
      {difference > 0 ? `in ${formatDuration(difference)}` : `${formatDuration(difference)} ago`}
    </span>
  )
}
