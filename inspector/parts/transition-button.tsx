import { useAction, usePage } from '../context.ts'
import { truncate } from '../pure/text.ts'

interface TransitionButtonProps {
  readonly kind: string
  readonly id: string
  readonly to: string
  readonly children: string
}

/** Renders a button that forces a transition; nothing if the source cannot change its world. */
export function TransitionButton({ kind, id, to, children }: TransitionButtonProps) {
  const { source, world } = usePage()
  const runAction = useAction()
  if (!source.can('change')) return null
  const force = () =>
    runAction(async () => {
      await world.actions.forceTransition(kind, id, { to })
      return `${truncate(id, 60)} is ${to}`
    })
  return (
    <button type="button" aria-label={`${children} ${truncate(id, 200)}`} onClick={force}>
      {children}
    </button>
  )
}
