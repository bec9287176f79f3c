import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Copy } from '../../parts/controls.tsx'
import { LongText } from '../../parts/json-view.tsx'
import { TransitionButton } from '../../parts/transition-button.tsx'
import { type Certificate, decodeRevocationList } from '../../pure/certificate.ts'
import {
  type CrlView,
  certificateStatus,
  type IssuedCertificate,
  type IssuerView,
  type PkiMount,
} from '../../pure/pki-mounts.ts'
import { toneOf } from '../../pure/status-tone.ts'
import { formatClock, pluralize, truncate } from '../../pure/text.ts'
import { RelativeTime } from '../time/relative-time.tsx'

/** Maximum number of drawn certificates of each issuer. */
const maxCertificates = 200

/** Data that every part of a mount's tree needs. */
interface TreeContext {
  /** Current time on the world's clock. */
  readonly now: string
  readonly decode: (pem: string) => Certificate | undefined
  /** Text that the serial, subject or names of a drawn certificate contain; empty to draw all. */
  readonly filter: string
}

/**
 * Renders a mount of the PKI engine: its issuers as a tree with the certificates that they issued,
 * and the certificates whose issuer is deleted.
 */
export function PkiMountCard({ mount, ...context }: TreeContext & { readonly mount: PkiMount }) {
  const { path, issuers, orphans, total } = mount
  return (
    <section class="card" aria-label={`Certificates of ${path}`}>
      <h2>
        <bdi>{truncate(path, 200)}</bdi> <span class="count">{total}</span>
      </h2>
      {issuers.length === 0 && <p class="muted">This mount has no issuers.</p>}
      <ul class="plain">
        {issuers.map((issuer) => (
          <Issuer key={issuer.id} issuer={issuer} {...context} />
        ))}
      </ul>
      {orphans.length > 0 && (
        <>
          <h3>The issuer is deleted</h3>
          <ul class="plain">
            <IssuedList certificates={orphans} {...context} />
          </ul>
        </>
      )}
    </section>
  )
}

/** Renders an issuer with its CRL, the issuers that it signed, and its certificates. */
function Issuer({ issuer, ...context }: TreeContext & { readonly issuer: IssuerView }) {
  const { certificate, crl, hasKey, isDefault, name, revokedAt, signedElsewhereBy } = issuer
  const { notAfter = Number.POSITIVE_INFINITY, notBefore = 0 } = certificate ?? {}
  return (
    <li>
      <CertificateDetails
        name={name}
        certificate={certificate}
        pem={issuer.pem}
        times={{ notAfter, notBefore, revokedAt }}
        now={context.now}
      >
        <span class="tag">issuer</span>
        {isDefault && ' '}
        {isDefault && <span class="tag">default</span>}
        {!hasKey && ' '}
        {!hasKey && <span class="tag">no private key</span>}
      </CertificateDetails>
      {signedElsewhereBy !== undefined && (
        <p class="muted">
          signed by <bdi>{truncate(signedElsewhereBy, 200)}</bdi>
        </p>
      )}
      {crl !== undefined && <Crl crl={crl} now={context.now} />}
      <ul class="plain">
        {issuer.issuers.map((each) => (
          <Issuer key={each.id} issuer={each} {...context} />
        ))}
        <IssuedList certificates={issuer.certificates} {...context} />
      </ul>
    </li>
  )
}

interface IssuedListProps extends TreeContext {
  readonly certificates: readonly IssuedCertificate[]
}

function IssuedList({ certificates, decode, filter, now }: IssuedListProps) {
  const text = filter.toLowerCase()
  const matching =
    text === ''
      ? certificates
      : certificates.filter(({ serial, pem }) => {
          const { subject = '', names = [] } = decode(pem) ?? {}
          return [serial, subject, ...names].some((each) => each.toLowerCase().includes(text))
        })
  return (
    <>
      {matching.slice(0, maxCertificates).map(({ id, serial, pem, notAfter, revokedAt }) => {
        const certificate = decode(pem)
        const { notBefore = 0, subject = '', names: [firstName = serial] = [] } = certificate ?? {}
        const times = { notAfter, notBefore, revokedAt }
        return (
          <li key={serial}>
            <CertificateDetails
              name={subject || firstName}
              {...{ certificate, pem, times, now }}
              actions={
                revokedAt === undefined &&
                notAfter > Date.parse(now) && (
                  <>
                    <TransitionButton kind="secrets.certificate" id={id} to="revoked">
                      Revoke
                    </TransitionButton>
                    <TransitionButton kind="secrets.certificate" id={id} to="expired">
                      Expire
                    </TransitionButton>
                  </>
                )
              }
            />
          </li>
        )
      })}
      {matching.length > maxCertificates && (
        <li class="muted">and {matching.length - maxCertificates} more</li>
      )}
    </>
  )
}

interface CertificateDetailsProps {
  readonly name: string
  /** Undefined if the text of the certificate cannot be decoded. */
  readonly certificate: Certificate | undefined
  readonly pem: string
  readonly times: Parameters<typeof certificateStatus>[0]
  readonly now: string
  /** Tags shown after the name. */
  readonly children?: ComponentChildren
  readonly actions?: ComponentChildren
}

/** Renders a certificate as one line. A click on the line shows the decoded fields. */
function CertificateDetails(props: CertificateDetailsProps) {
  const { name, certificate, pem, times, now, children, actions } = props
  const [isOpen, setOpen] = useState(false)
  const status = certificateStatus(times, Date.parse(now))
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <strong>
          <bdi>{truncate(name, 200)}</bdi>
        </strong>{' '}
        {children} <span class={`tag ${toneOf(status)}`}>{status}</span>{' '}
        {Number.isFinite(times.notAfter) && (
          <>
            ends <TimeFromNow at={times.notAfter} now={now} />
          </>
        )}
      </summary>
      {isOpen && (
        <div class="box plain">
          {certificate === undefined ? (
            <p class="muted">The certificate cannot be decoded.</p>
          ) : (
            <Fields certificate={certificate} times={times} now={now} />
          )}
          <div class="bar">
            <Copy text={pem} label={`Copy as PEM: ${truncate(name, 200)}`}>
              Copy as PEM
            </Copy>
            {actions}
          </div>
        </div>
      )}
    </details>
  )
}

interface FieldsProps extends Pick<CertificateDetailsProps, 'times' | 'now'> {
  readonly certificate: Certificate
}

function Fields({ certificate, times, now }: FieldsProps) {
  const { serial, subject, issuer, names, notBefore, notAfter, keyId, issuerKeyId } = certificate
  const fields = [
    ['Subject', [subject]],
    ['Alternative names', names],
    ['Serial', [serial]],
    ['Issuer', [issuer]],
    ...certificate.fields,
    ['Key identifier', [keyId]],
    ['Key identifier of the issuer', [issuerKeyId]],
  ] as const
  return (
    <dl class="facts">
      {fields
        .filter(([, values]) => values.join('') !== '')
        .map(([title, values]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <LongText text={values.join(', ')} />
            </dd>
          </div>
        ))}
      {(
        [
          ['Not before', notBefore],
          ['Not after', notAfter],
          ['Revoked', times.revokedAt],
        ] as const
      ).map(
        ([title, at]) =>
          at !== undefined && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>
                {formatClock(isoTime(at))} <TimeFromNow at={at} now={now} />
              </dd>
            </div>
          ),
      )}
    </dl>
  )
}

/**
 * Renders the CRL of an issuer with its status, its number of revoked certificates, the time of the
 * next update, and a button that rebuilds the CRL.
 */
function Crl({ crl: { id, number, content, nextUpdate }, now }: { crl: CrlView; now: string }) {
  const list = decodeRevocationList(content)
  const status = nextUpdate > Date.parse(now) ? 'current' : 'ended'
  return (
    <div class="bar">
      <span>CRL {number}</span>
      <span class={`tag ${toneOf(status)}`}>{status}</span>
      <span class="muted">
        {list !== undefined && `${pluralize(list.serials.length, 'revoked certificate')}, `}
        next update <TimeFromNow at={nextUpdate} now={now} />
      </span>
      <TransitionButton kind="secrets.crl" id={id} to="rebuilt">
        Rebuild
      </TransitionButton>
    </div>
  )
}

/** Formats milliseconds since 1970 as RFC 3339; empty for a number that is not a time. */
function isoTime(milliseconds: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

/** Renders how far a time, in milliseconds since 1970, is from the present. */
export function TimeFromNow({ at, now }: { readonly at: number; readonly now: string }) {
  return <RelativeTime now={now} at={isoTime(at)} />
}
