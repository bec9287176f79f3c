import { useMemo, useState } from 'preact/hooks'
import { useFeed, usePage, useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { memoizedDecoder } from '../../pure/certificate.ts'
import { pkiMounts } from '../../pure/pki-mounts.ts'
import { PkiMountCard } from './certificates.tsx'
import { Leases, OidcKeys, StaticRoles } from './credentials.tsx'

/**
 * Renders the credentials of the engines of the secrets API: leases, static roles, the keys that
 * sign identity tokens, and certificates as trees below their issuers.
 */
export function Secrets() {
  const { feed } = usePage()
  useFeed(feed)
  const [filter, setFilter] = useState('')
  const decode = useMemo(memoizedDecoder, [])
  const { data: state, problem } = useRead('secrets', (world) => world.state('secrets'), [
    feed.changes,
  ])
  const { data: clock } = useRead('clock', (world) => world.clock(), [feed.changes])
  const mounts = useMemo(() => (state === undefined ? [] : pkiMounts(state, decode)), [state])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (state === undefined || clock === undefined) return <Note>Loading…</Note>
  const { now } = clock
  return (
    <div class="page">
      <div class="bar">
        <input
          type="search"
          aria-label="Find certificates and leases"
          placeholder="Find certificates and leases"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <span class="muted">Secrets at their paths are on the screen State.</span>
      </div>
      {mounts.map((mount) => (
        <PkiMountCard key={mount.path} {...{ mount, now, decode, filter }} />
      ))}
      {mounts.length === 0 && <p class="muted">No PKI engine is mounted.</p>}
      <Leases state={state} now={now} filter={filter} />
      <StaticRoles state={state} now={now} />
      <OidcKeys state={state} now={now} />
    </div>
  )
}
