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

/** Tabs, as the keyboard knows them: arrows move between them. */
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

interface CopyProps {
  readonly text: string
  readonly children: string
  /** Its name where several buttons say the same. */
  readonly label?: string
}

/** A button that copies a text. */
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

/** A dialog over the page, which stays until it is answered. */
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
  /** Its name where several buttons say the same. */
  readonly label?: string
}

/** A button for what cannot be taken back: a second one has to be pressed. */
export function Confirm({ question, onConfirm, children, label }: ConfirmProps) {
  const [isAsking, setAsked] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const name = label === undefined ? {} : { 'aria-label': label }
  const wasAsking = useRef(false)
  useEffect(() => {
    // Who answers by keyboard goes on from where the question was.
    if (isAsking || wasAsking.current) button.current?.focus()
    wasAsking.current = isAsking
  }, [isAsking])
  if (!isAsking) {
    return (
      <button ref={button} type="button" {...name} onClick={() => setAsked(true)}>
        {children}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is an answer too
    <span
      class="confirm"
      onKeyDown={({ key }) => {
        if (key === 'Escape') setAsked(false)
      }}
    >
      {question}
      <button
        type="button"
        class="danger"
        onClick={() => {
          setAsked(false)
          onConfirm()
        }}
      >
        Yes
      </button>
      <button ref={button} type="button" onClick={() => setAsked(false)}>
        No
      </button>
    </span>
  )
}

/** A message in place of something that is not there. */
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
