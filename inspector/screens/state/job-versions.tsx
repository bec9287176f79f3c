import { useState } from 'preact/hooks'
import type { JobDiff } from '../../../state/scheduler/diff/shapes.ts'
import { useCall, usePage } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { LongText, Secret } from '../../parts/json-view.tsx'
import { type ChangedPart, changedParts, innerName } from '../../pure/job-diff.ts'
import { isSecretName } from '../../pure/secret.ts'
import type { Thing } from '../../pure/things.ts'

interface JobVersion {
  readonly version: number
  readonly since: number | null
  readonly diff: JobDiff | null
}

/** The versions of a job, and what differs in one from that before it, as the scheduler tells it. */
export function JobVersions({ thing }: { readonly thing: Thing }) {
  const { feed } = usePage()
  const [chosen, setChosen] = useState<number>()
  const { ID, Namespace } = thing.row
  const namespace = encodeURIComponent(String(Namespace))
  const path = `/scheduler/jobs/${encodeURIComponent(String(ID))}/versions?namespace=${namespace}`
  const { data, problem } = useCall<{ versions: readonly JobVersion[] }>(path, [feed.changes])
  if (problem !== undefined) return <Note bad>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  const shown = data.versions.find(({ version }) => version === chosen) ?? data.versions[0]
  if (shown === undefined) return null
  const { version, since, diff } = shown
  return (
    <section aria-label="Versions">
      <h3>Versions</h3>
      <div class="bar">
        {data.versions.map((each) => (
          <button
            key={each.version}
            type="button"
            aria-pressed={each === shown}
            onClick={() => setChosen(each.version)}
          >
            {each.version}
          </button>
        ))}
      </div>
      {since === null || diff === null ? (
        <p class="muted">Version {version} is the oldest kept version.</p>
      ) : (
        <>
          <h4>
            Changes from version {since} to {version}
          </h4>
          <Parts parts={changedParts(diff)} />
        </>
      )}
    </section>
  )
}

const marks = { added: '+', deleted: '−', edited: '±' } as const

function Parts({ parts }: { readonly parts: readonly ChangedPart[] }) {
  if (parts.length === 0) return <p class="muted">No difference that the scheduler reports.</p>
  return (
    <ul class="job-diff">
      {parts.map(({ kind, name, values: texts, parts: inner }, at) => (
        <li key={`${at} ${name}`}>
          <span class={`job-change is-${kind}`}>
            <span aria-hidden="true">{marks[kind]}</span>
            <span class="only-heard">{kind}: </span>
            <bdi>{name}</bdi>
            {texts !== undefined && <Texts name={name} texts={texts} />}
          </span>
          {inner.length > 0 && <Parts parts={inner} />}
        </li>
      ))}
    </ul>
  )
}

interface TextsProps {
  readonly name: string
  readonly texts: readonly [before: string, after: string]
}

function Texts({ name, texts }: TextsProps) {
  const hides = isSecretName(innerName(name))
  const [before, after] = texts.map((text) => {
    if (text === '') return <span class="muted">nothing</span>
    return hides ? <Secret text={text} /> : <LongText text={text} />
  })
  return (
    <>
      : {before} → {after}
    </>
  )
}
