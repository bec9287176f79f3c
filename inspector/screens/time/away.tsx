import { formatDuration } from '../../pure/text.ts'

/** How far off a moment is. */
export function Away({ now, at }: { readonly now: string; readonly at: string }) {
  const away = Date.parse(at) - Date.parse(now)
  return (
    <span class="muted away">
      {away > 0 ? `in ${formatDuration(away)}` : `${formatDuration(away)} ago`}
    </span>
  )
}
