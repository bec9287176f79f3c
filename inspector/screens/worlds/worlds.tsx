import { useState } from 'preact/hooks'
import { useAction, useFeed, useLoad, usePage } from '../../context.ts'
import { Confirm, Form, Tabs } from '../../parts/controls.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { formatClock, formatDuration } from '../../pure/text.ts'
import { goTo, type Route } from '../../route.ts'
import type { Ability } from '../../source/source.ts'
import { Connect } from './connect.tsx'
import { Faults } from './faults.tsx'
import { Options } from './options.tsx'
import { Report } from './report.tsx'

/** Tabs, each with the ability of the source that the tab needs, if any. */
const allTabs: readonly (readonly [id: string, title: string, needs?: Ability])[] = [
  ['connect', 'Connect', 'connect'],
  ['options', 'Options'],
  ['faults', 'Faults'],
  ['report', 'Report'],
]

/** Renders the list of worlds, and tabs for the setup of the selected world. */
export function Worlds({ route }: { readonly route: Route }) {
  const { source, feed, world } = usePage()
  useFeed(feed)
  const tabs = allTabs.filter(([, , needs]) => needs === undefined || source.can(needs))
  const tab = route.params.get('part') ?? tabs[0]?.[0] ?? ''
  return (
    <div class="page">
      <WorldList />
      <section class="card flush" aria-label={`Setup of ${world.id}`}>
        <h2>Setup of {world.id}</h2>
        <Tabs
          label="Setup"
          tabs={tabs.map(([id, title]) => [id, title] as const)}
          selected={tab}
          onSelect={(part) => goTo('worlds', '', { part }, 'replace')}
        >
          {tab === 'connect' && <Connect />}
          {tab === 'options' && <Options />}
          {tab === 'faults' && <Faults />}
          {tab === 'report' && <Report />}
        </Tabs>
      </section>
    </div>
  )
}

/** Maximum number of worlds that are shown. */
const maxWorlds = 100

function WorldList() {
  const { source, world, feed } = usePage()
  const canChange = source.can('change')
  const canSave = source.can('save')
  const runAction = useAction()
  const { data: worlds = [] } = useLoad(
    () => source.worlds(),
    [source, world, 'worlds', feed.worlds, feed.entries.length],
  )
  const fork = (id: string) =>
    runAction(async () => {
      return `Forked ${id} as world ${await source.createWorld({ from: id })}`
    })
  const saveTrace = (id?: string) =>
    runAction(async () => {
      saveFile(`${id ?? 'worlds'}.trace.html`, 'text/html', await source.trace(id))
      return `The trace of ${id === undefined ? 'all worlds' : `world ${id}`} was saved`
    })
  const reset = (id: string) =>
    runAction(async () => {
      await source.world(id).actions.reset()
      return `World ${id} was reset`
    })
  const deleteWorld = (id: string) =>
    runAction(async () => {
      await source.deleteWorld(id)
      if (id === world.id) goTo('worlds', '', { world: '' })
      return `World ${id} was deleted`
    })
  return (
    <section class="card" aria-label="Worlds">
      <h2>Worlds</h2>
      <div class="wide">
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">World</th>
              <th scope="col">Age</th>
              <th scope="col">Requests</th>
              <th scope="col">Clock</th>
              <th scope="col">Dialect</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {worlds.slice(0, maxWorlds).map(({ id, requests, clock, madeAt, dialect }) => (
              <tr key={id} class={id === world.id ? 'present' : ''}>
                <th scope="row">
                  <bdi>{id}</bdi>
                </th>
                <td data-label="Age" title={`created at ${madeAt}`}>
                  {formatDuration(
                    Math.floor(Math.max(0, Date.now() - Date.parse(madeAt)) / 1000) * 1000,
                  )}
                </td>
                <td data-label="Requests">{requests}</td>
                <td data-label="Clock">
                  <span class="clock">{formatClock(clock.now)}</span>{' '}
                  <span class="tag">{clock.mode}</span>
                </td>
                <td data-label="Dialect">{dialect}</td>
                <td>
                  <div class="bar">
                    {id !== world.id && (
                      <button
                        type="button"
                        aria-label={`Open ${id}`}
                        onClick={() => goTo('requests', '', { world: id })}
                      >
                        Open
                      </button>
                    )}
                    {canSave && (
                      <button
                        type="button"
                        aria-label={`Save the trace of ${id}`}
                        title="Save requests, changes and states as one page, without secrets"
                        onClick={() => saveTrace(id)}
                      >
                        Trace
                      </button>
                    )}
                    {canChange && (
                      <button type="button" aria-label={`Fork ${id}`} onClick={() => fork(id)}>
                        Fork
                      </button>
                    )}
                    {canChange && (
                      <Confirm
                        question="Reset it to its start?"
                        label={`Reset ${id}`}
                        onConfirm={() => reset(id)}
                      >
                        Reset
                      </Confirm>
                    )}
                    {canChange && id !== 'default' && (
                      <Confirm
                        question="Delete it?"
                        label={`Delete ${id}`}
                        onConfirm={() => deleteWorld(id)}
                      >
                        Delete
                      </Confirm>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {worlds.length > maxWorlds && <p class="muted">and {worlds.length - maxWorlds} more</p>}
      {canSave && (
        <button type="button" onClick={() => saveTrace()}>
          Save the trace of all worlds
        </button>
      )}
      {canChange && <NewWorld />}
    </section>
  )
}

function NewWorld() {
  const { source } = usePage()
  const runAction = useAction()
  const [id, setId] = useState('')
  const [clock, setClock] = useState('')
  const [seed, setSeed] = useState('')
  const createWorld = () =>
    runAction(async () => {
      const settings = Object.entries({ id, clock, seed }).filter(([, value]) => value !== '')
      const created = await source.createWorld(Object.fromEntries(settings))
      setId('')
      return `World ${created} was created`
    })
  return (
    <Form class="bar" onSubmit={createWorld}>
      <input
        aria-label="Name of a new world"
        placeholder="name"
        value={id}
        onInput={({ currentTarget }) => setId(currentTarget.value)}
      />
      <input
        aria-label="Clock of a new world"
        placeholder="clock: real, frozen"
        value={clock}
        onInput={({ currentTarget }) => setClock(currentTarget.value)}
      />
      <input
        aria-label="Seed of a new world"
        placeholder="seed"
        value={seed}
        onInput={({ currentTarget }) => setSeed(currentTarget.value)}
      />
      <button type="submit" class="primary">
        Create world
      </button>
    </Form>
  )
}
