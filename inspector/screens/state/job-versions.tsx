import { useState } from 'preact/hooks'
import { usePage, useRead } from '../../context.ts'
import { Note } from '../../parts/controls.tsx'
import { LongText, Secret } from '../../parts/json-view.tsx'
import type { StateItem } from '../../pure/items.ts'
import { type ChangedPart, changedParts, innerName } from '../../pure/job-diff.ts'
import { isSecretName } from '../../pure/secret.ts'

/**
 * Renders the versions of a job, and the scheduler's diff between a version and its predecessor.
 */
export function JobVersions({ item }: { readonly item: StateItem }) {
  const { feed } = usePage()
  const [selectedVersion, setSelectedVersion] = useState<number>()
  const job = { id: String(item.row['ID']), namespace: String(item.row['Namespace']) }
  const { data: versions, problem } = useRead(
    `versions of ${job.namespace}/${job.id}`,
    (world) => world.jobVersions(job),
    [feed.changes],
  )
  if (problem !== undefined) return <Note isError>{problem}</Note>
  if (versions === undefined) return <Note>Loading…</Note>
  const selected = versions.find(({ version }) => version === selectedVersion) ?? versions[0]
  if (selected === undefined) return null
  const { version, since, diff } = selected
  return (
    <section aria-label="Versions">
      <h3>Versions</h3>
      <div class="bar">
        {versions.map((each) => (
          <button
            key={each.version}
            type="button"
            aria-pressed={each === selected}
            onClick={() => setSelectedVersion(each.version)}
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
