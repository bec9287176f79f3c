import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { usePage } from '../context.ts'

interface TabsProps {
  readonly label: string
  readonly tabs: readonly (readonly [id: string, title: string])[]
  readonly selected: string
  readonly onSelect: (id: string) => void
  readonly children: ComponentChildren
}

/** Renders tabs. The left and right arrow keys select the neighbouring tab. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const name = label.toLowerCase().replaceAll(/\W+/g, '-')
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = tabs.findIndex(([id]) => id === selected)
    const next = (index + step + tabs.length) % tabs.length
    onSelect(tabs[next]?.[0] ?? selected)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map(([id, title]) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${name}-${id}`}
            aria-selected={id === selected}
            aria-controls={`${name}-panel`}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
            onKeyDown={onKeyDown}
          >
            {title}
          </button>
        ))}
      </div>
      <div
        class="tab-panel"
        role="tabpanel"
        id={`${name}-panel`}
        aria-labelledby={`${name}-${selected}`}
      >
        {children}
      </div>
    </>
  )
}

interface FormProps {
  readonly class: string
  readonly onSubmit: () => unknown
  readonly children: ComponentChildren
}

/** Renders a form whose submission calls a function instead of leaving the page. */
export function Form({ class: className, onSubmit, children }: FormProps) {
  return (
    <form
      class={className}
      onSubmit={(event) => {
        event.preventDefault()
        void onSubmit()
      }}
    >
      {children}
    </form>
  )
}

interface CopyProps {
  readonly text: string
  readonly children: string
  /** Accessible name; needed where several buttons show the same text. */
  readonly label?: string
}

/** Renders a button that copies a text and reports the result in a message. */
export function Copy({ text, children, label }: CopyProps) {
  const { notify } = usePage()
  const copy = () => {
    // Only secure origins have a clipboard.
    const writing = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error())
    writing.then(
      () => notify('Copied', 'good'),
      () => notify('The browser does not allow copying here; select the text instead', 'bad'),
    )
  }
  return (
    <button type="button" {...(label === undefined ? {} : { 'aria-label': label })} onClick={copy}>
      {children}
    </button>
  )
}

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** Renders a modal dialog that the Escape key does not close. */
export function Dialog({ title, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = dialog
    if (current !== null && !current.open) current.showModal()
  }, [])
  return (
    <dialog ref={dialog} aria-label={title} onCancel={(event) => event.preventDefault()}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  readonly question: string
  readonly onConfirm: () => void
  readonly children: string
  /** Accessible name; needed where several buttons show the same text. */
  readonly label?: string
}

/** Renders a button for an action that cannot be undone: a second click confirms it. */
export function Confirm({ question, onConfirm, children, label }: ConfirmProps) {
  const [isAsking, setAsking] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const labelAttributes = label === undefined ? {} : { 'aria-label': label }
  const wasAsking = useRef(false)
  useEffect(() => {
    // Keep the focus on the button when the question appears or disappears, for keyboard users.
    if (isAsking || wasAsking.current) button.current?.focus()
    wasAsking.current = isAsking
  }, [isAsking])
  if (!isAsking) {
    return (
      <button ref={button} type="button" {...labelAttributes} onClick={() => setAsking(true)}>
        {children}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape also answers
    <span
      class="confirm"
      onKeyDown={({ key }) => {
        if (key === 'Escape') setAsking(false)
      }}
    >
      {question}
      <button
        type="button"
        class="danger"
        onClick={() => {
          setAsking(false)
          onConfirm()
        }}
      >
        Yes
      </button>
      <button ref={button} type="button" onClick={() => setAsking(false)}>
        No
      </button>
    </span>
  )
}

/** Renders a message, such as an error, in place of content. */
export function Note({
  children,
  isError = false,
}: {
  children: ComponentChildren
  isError?: boolean
}) {
  return (
    <p class={isError ? 'note bad' : 'note'} {...(isError ? { role: 'alert' } : {})}>
      {children}
    </p>
  )
}
