import type { ComponentChildren } from 'preact'
import { Secret } from '../../parts/json-view.tsx'
import { TransitionButton } from '../../parts/transition-button.tsx'
import type { ServiceState } from '../../pure/items.ts'
import { leaseViews, oidcKeyViews, staticRoleViews } from '../../pure/leases.ts'
import { truncate } from '../../pure/text.ts'
import { TimeFromNow } from './certificates.tsx'

/** Maximum number of drawn rows of each table. */
const maxRows = 200

interface StateProps {
  readonly state: ServiceState
  /** Current time on the world's clock. */
  readonly now: string
}

/** Renders the leases whose id or subject contains a text, with their remaining time. */
export function Leases({ state, now, filter }: StateProps & { readonly filter: string }) {
  const text = filter.toLowerCase()
  const leases = leaseViews(state).filter(({ id, subject }) =>
    `${id} ${subject}`.toLowerCase().includes(text),
  )
  return (
    <Table label="Leases" columns={['Subject', 'Issued', 'Ends', 'Renewal']} rows={leases}>
      {({ id, subject, issuedAt, expiresAt, renewedAt, isRenewable }) => (
        <>
          <td data-label="Subject" class="wrapped">
            <bdi>{truncate(subject, 200)}</bdi>
          </td>
          <td data-label="Issued">
            <TimeFromNow at={issuedAt} now={now} />
          </td>
          <td data-label="Ends">
            <TimeFromNow at={expiresAt} now={now} />
          </td>
          <td data-label="Renewal">
            {isRenewable ? 'renewable' : 'not renewable'}
            {renewedAt !== undefined && (
              <>
                , renewed <TimeFromNow at={renewedAt} now={now} />
              </>
            )}
          </td>
          <td>
            <div class="bar">
              <TransitionButton kind="secrets.lease" id={id} to="revoked">
                Revoke
              </TransitionButton>
              <TransitionButton kind="secrets.lease" id={id} to="expired">
                Expire
              </TransitionButton>
            </div>
          </td>
        </>
      )}
    </Table>
  )
}

/** Renders the static roles of database engines with their next rotation. */
export function StaticRoles({ state, now }: StateProps) {
  const columns = ['User', 'Password', 'Rotated', 'Next rotation']
  return (
    <Table label="Static roles" columns={columns} rows={staticRoleViews(state)}>
      {({ id, username, connection, password, rotatedAt, nextRotation }) => (
        <>
          <td data-label="User" class="wrapped">
            <bdi>{truncate(`${username} on ${connection}`, 200)}</bdi>
          </td>
          <td data-label="Password" class="wrapped">
            <Secret text={password} />
          </td>
          <td data-label="Rotated">
            <TimeFromNow at={rotatedAt} now={now} />
          </td>
          <td data-label="Next rotation">
            <TimeFromNow at={nextRotation} now={now} />
          </td>
          <td>
            <TransitionButton kind="secrets.staticRole" id={id} to="rotated">
              Rotate
            </TransitionButton>
          </td>
        </>
      )}
    </Table>
  )
}

/** Renders the keys that sign identity tokens, with their pairs and the next rotation. */
export function OidcKeys({ state, now }: StateProps) {
  const columns = ['Algorithm', 'Key pairs', 'Next rotation']
  return (
    <Table label="OIDC keys" columns={columns} rows={oidcKeyViews(state)}>
      {({ id, algorithm, pairs, nextRotation }) => (
        <>
          <td data-label="Algorithm">{algorithm}</td>
          <td data-label="Key pairs" class="wrapped">
            <ul class="plain-lines">
              {pairs.slice(0, maxRows).map((pair) => (
                <li key={pair.id}>
                  <code>{pair.id}</code>{' '}
                  <span class={pair.use === 'signs' ? 'tag good' : 'tag'}>{pair.use}</span>{' '}
                  {pair.expiresAt !== undefined && <TimeFromNow at={pair.expiresAt} now={now} />}
                </li>
              ))}
            </ul>
          </td>
          <td data-label="Next rotation">
            <TimeFromNow at={nextRotation} now={now} />
          </td>
          <td>
            <TransitionButton kind="secrets.oidcKey" id={id} to="rotated">
              Rotate
            </TransitionButton>
          </td>
        </>
      )}
    </Table>
  )
}

interface TableProps<Row> {
  readonly label: string
  /** Titles of the columns between the id and the actions. */
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** Renders the cells after the id. */
  readonly children: (row: Row) => ComponentChildren
}

/** Renders rows with ids as a table; nothing without rows. */
function Table<Row extends { readonly id: string }>(props: TableProps<Row>) {
  const { label, columns, rows, children } = props
  if (rows.length === 0) return null
  return (
    <section class="card" aria-label={label}>
      <h2>
        {label} <span class="count">{rows.length}</span>
      </h2>
      <table class="cards">
        <thead>
          <tr>
            {['Id', ...columns, 'Actions'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map((row) => (
            <tr key={row.id}>
              <th scope="row" class="wrapped">
                <bdi>{truncate(row.id, 200)}</bdi>
              </th>
              {children(row)}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxRows && <p class="muted">and {rows.length - maxRows} more</p>}
    </section>
  )
}
