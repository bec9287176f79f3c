import { useState } from 'preact/hooks'
import type { JobDiff } from '../../../state/scheduler/diff/shapes.ts'
import { useCall, usePage } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { LongText, Secret } from '../../parts/json-view.tsx'
import type { StateItem } from '../../pure/items.ts'
import { type ChangedPart, changedParts, innerName } from '../../pure/job-diff.ts'
import { isSecretName } from '../../pure/secret.ts'

interface JobVersion {
  readonly version: number
  readonly since: number | null
  readonly diff: JobDiff | null
}

/**
 * Renders the versions of a job, and the scheduler's diff between a version and its predecessor.
 */
export function JobVersions({ item }: { readonly item: StateItem }) {
  const { feed } = usePage()
  const [selectedVersion, setChosen] = useState<number>()
  const { ID, Namespace } = item.row
  const namespace = encodeURIComponent(String(Namespace))
  const path = `/scheduler/jobs/${encodeURIComponent(String(ID))}/versions?namespace=${namespace}`
  const { data, problem } = useCall<{ versions: readonly JobVersion[] }>(path, [feed.changes])
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (data === undefined) return <Note>Loading…</Note>
  const selected =
    data.versions.find(({ version }) => version === selectedVersion) ?? data.versions[0]
  if (selected === undefined) return null
  const { version, since, diff } = selected
  return (
    <section aria-label="Versions">
      <h3>Versions</h3>
      <div class="bar">
        {data.versions.map((each) => (
          <button
            key={each.version}
            type="button"
            aria-pressed={each === selected}
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
      {parts.map(({ kind, name, values, parts: inner }, at) => (
        <li key={`${at} ${name}`}>
          <span class={`job-change is-${kind}`}>
            <span aria-hidden="true">{marks[kind]}</span>
            <span class="only-heard">{kind}: </span>
            <bdi>{name}</bdi>
            {values !== undefined && <FieldValues name={name} values={values} />}
          </span>
          {inner.length > 0 && <Parts parts={inner} />}
        </li>
      ))}
    </ul>
  )
}

interface FieldValuesProps {
  readonly name: string
  readonly values: readonly [before: string, after: string]
}

function FieldValues({ name, values }: FieldValuesProps) {
  const isSecret = isSecretName(innerName(name))
  const [before, after] = values.map((text) => {
    if (text === '') return <span class="muted">nothing</span>
    return isSecret ? <Secret text={text} /> : <LongText text={text} />
  })
  return (
    <>
      : {before} → {after}
    </>
  )
}
