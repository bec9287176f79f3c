import { useLayoutEffect, useRef } from 'preact/hooks'

interface PolicyTextProps {
  readonly text: string
  /** The line that is looked for, from 1; 0 for none. */
  readonly highlightedLine: number
}

/** A policy as it is written, with the numbers of its lines. */
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
