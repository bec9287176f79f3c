import { useLayoutEffect, useRef } from 'preact/hooks'

interface PolicyTextProps {
  readonly text: string
  /** Highlighted line, from 1; 0 for none. */
  readonly highlightedLine: number
}

/** Renders the text of a policy with line numbers. */
export function PolicyText({ text, highlightedLine }: PolicyTextProps) {
  const line = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => line.current?.scrollIntoView({ block: 'nearest' }), [highlightedLine])
  return (
    <section aria-label="Policy">
      <h3>Policy</h3>
      <ol class="numbered">
        {text
          .trimEnd()
          .split('\n')
          .map((each, at) => (
            <li
              key={at}
              {...(at + 1 === highlightedLine
                ? { ref: line, class: 'lit', 'aria-current': true }
                : {})}
            >
              <bdi>{each}</bdi>
            </li>
          ))}
      </ol>
    </section>
  )
}
