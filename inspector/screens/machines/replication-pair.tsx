import type { TransitionView } from '../../../routes/control/clock/transition-control.ts'
import { usePage, useRead } from '../../context.ts'
import { toneOf } from '../../pure/status-tone.ts'

interface ReplicationPairProps {
  readonly item: TransitionView['items'][number]
  readonly forceTransition: (to: string) => Promise<void>
}

/**
 * Renders a DR pair: this world, its peer, and the link between them, which can be cut and
 * restored.
 */
export function ReplicationPair({ item: { id, state }, forceTransition }: ReplicationPairProps) {
  const { source, world, feed } = usePage()
  const { data } = useRead('secrets', (each) => each.state('secrets'), [feed.changes])
  const row = data?.tables['replication']?.['dr']
  const isPrimary = id !== 'primary'
  const isCut = state === 'disconnected'
  const remotePosition = isPrimary ? undefined : row?.['last_remote_wal']
  return (
    <div class="pair">
      <div class="node">
        <strong>
          <bdi>{world.id}</bdi>
        </strong>
        <span class="tag">{isPrimary ? 'primary' : 'secondary'}</span>
        {remotePosition !== undefined && (
          <span class="muted small">last remote WAL {String(remotePosition)}</span>
        )}
      </div>
      <div class={isCut ? 'link is-cut' : 'link'}>
        <span class={`tag ${toneOf(state)}`} aria-current="true">
          {state}
        </span>
        {source.can('change') && (
          <button
            type="button"
            onClick={() => forceTransition(isCut ? 'connected' : 'disconnected')}
          >
            {isCut ? 'Restore the link' : 'Cut the link'}
          </button>
        )}
        {source.can('change') && state !== 'connected' && !isCut && (
          <button type="button" onClick={() => forceTransition('connected')}>
            Finish the sync
          </button>
        )}
      </div>
      <div class="node">
        <strong>
          <bdi>{id}</bdi>
        </strong>
        <span class="tag">{isPrimary ? 'secondary' : 'primary'}</span>
      </div>
    </div>
  )
}
