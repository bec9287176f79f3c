import type { ComponentChildren, FunctionComponent } from 'preact'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Client, errorText } from './client.ts'
import { PageContext, type PageServices, useFeed, usePage } from './context.ts'
import { Feed } from './feed.ts'
import { Dialog, Form, Note } from './parts/controls.tsx'
import { formatClock } from './pure/text.ts'
import { goTo, hrefTo, type Route, useRoute } from './route.ts'
import { Machines } from './screens/machines/machines.tsx'
import { Requests } from './screens/requests/requests.tsx'
import { RunBanner } from './screens/run-banner.tsx'
import { serviceScreens } from './screens/services/service-screens.ts'
import { State } from './screens/state/state.tsx'
import { Time } from './screens/time/time.tsx'
import { Worlds } from './screens/worlds/worlds.tsx'
import { LiveSource } from './source/live-source.ts'
import type { Source } from './source/source.ts'

type Screen = FunctionComponent<{ readonly route: Route }>

/** Title and component of each screen, by the screen's name in the page's address. */
const screens: Readonly<Record<string, readonly [title: string, screen: Screen]>> = {
  requests: ['Requests', Requests],
  state: ['State', State],
  time: ['Time', Time],
  machines: ['Machines', Machines],
  ...serviceScreens,
  worlds: ['Worlds and setup', Worlds],
}

interface TokenPrompt {
  readonly wasRejected: boolean
  readonly answer: (token: string) => void
}

/**
 * Renders the whole page.
 *
 * @param traceSource source of a trace; without it, the page reads from its server
 */
export function App({ traceSource }: { readonly traceSource?: Source }) {
  const [tokenPrompt, setTokenPrompt] = useState<TokenPrompt>()
  const source = useMemo((): Source => {
    if (traceSource !== undefined) return traceSource
    const promptToken = (wasRejected: boolean) =>
      new Promise<string>((resolve) => {
        const answer = (token: string) => {
          setTokenPrompt(undefined)
          resolve(token)
        }
        setTokenPrompt({ wasRejected, answer })
      })
    return new LiveSource(new Client(location.pathname, promptToken))
  }, [traceSource])
  const route = useRoute()
  const requestedWorld = route.params.get('world') ?? ''
  const [defaultWorld, setDefaultWorld] = useState('')
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (requestedWorld !== '') return
    source.defaultWorld().then(setDefaultWorld, (error) => setProblem(errorText(error)))
  }, [source, requestedWorld])
  const world = requestedWorld || defaultWorld
  const [message, notify] = useMessage()
  return (
    <>
      {tokenPrompt !== undefined && <TokenDialog {...tokenPrompt} />}
      {problem !== '' && <Note isError>{problem}</Note>}
      {source.run !== undefined && <RunBanner run={source.run} />}
      {world !== '' && (
        <World key={world} source={source} id={world} route={route} notify={notify} />
      )}
      <div class={`message ${message.kind}`} role="status">
        {message.text}
      </div>
    </>
  )
}

function TokenDialog({ wasRejected, answer }: TokenPrompt) {
  const [token, setToken] = useState('')
  return (
    <Dialog title="Control token">
      <p>
        {wasRejected
          ? 'That is not the right token.'
          : 'This server was started with --control-token. The token stays in memory until you leave the page.'}
      </p>
      <Form class="bar" onSubmit={() => token !== '' && answer(token)}>
        <input
          type="password"
          aria-label="Control token"
          autocomplete="off"
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
        <button type="submit" class="primary">
          Continue
        </button>
      </Form>
    </Dialog>
  )
}

interface WorldProps {
  readonly source: Source
  readonly id: string
  readonly route: Route
  readonly notify: PageServices['notify']
}

/** Renders the page of one world. */
function World({ source, id, route, notify }: WorldProps) {
  const world = useMemo(() => source.world(id), [source, id])
  const feed = useMemo(() => new Feed(world), [world])
  useEffect(() => feed.open(), [feed])
  const services = useMemo(() => ({ source, world, feed, notify }), [source, world, feed, notify])
  const [title, ScreenComponent] = screens[route.screen] ?? ['Not found', NotFound]
  useEffect(() => {
    document.title = `${title} · ${id} · infra-understudy`
  }, [title, id])
  return (
    <PageContext.Provider value={services}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <Header route={route} />
      <main id="main" tabIndex={-1}>
        <h1 class="only-heard">{title}</h1>
        <ScreenComponent route={route} />
      </main>
    </PageContext.Provider>
  )
}

function NotFound() {
  return <Note>This screen does not exist.</Note>
}

/**
 * Returns the message to show, and a function that shows another message. A message is cleared
 * after some seconds.
 */
function useMessage() {
  const [message, setMessage] = useState({ text: '', kind: 'good' })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const notify = useCallback((text: string, kind: 'good' | 'bad' = 'good') => {
    clearTimeout(timer.current)
    setMessage({ text, kind })
    timer.current = setTimeout(
      () => setMessage({ text: '', kind }),
      kind === 'bad' ? 12_000 : 5_000,
    )
  }, [])
  return [message, notify] as const
}

const feedStateTexts = {
  connecting: 'connecting…',
  live: 'live',
  lost: 'connection lost, retrying…',
  ended: 'this world was deleted',
} as const

function Header({ route }: { readonly route: Route }) {
  const { source, feed } = usePage()
  useFeed(feed)
  return (
    <header class="head">
      <span class="product">understudy</span>
      <nav aria-label="Screens">
        {Object.entries(screens).map(([name, [title]]) => (
          <a
            key={name}
            href={hrefTo(name)}
            {...(name === route.screen ? { 'aria-current': 'page' as const } : {})}
          >
            {title}
          </a>
        ))}
      </nav>
      <WorldSelect route={route} />
      <LabelledText label="World’s time">
        <span class="clock">{feed.now === undefined ? '…' : formatClock(feed.now)}</span>
        {feed.mode !== undefined && <span class="tag">{feed.mode}</span>}
      </LabelledText>
      {source.can('follow') ? (
        <span class={`live is-${feed.state}`} role="status" title={feed.problem}>
          {feedStateTexts[feed.state]}
        </span>
      ) : (
        <span class="tag">trace</span>
      )}
    </header>
  )
}

function LabelledText({
  label,
  children,
}: {
  readonly label: string
  children: ComponentChildren
}) {
  return (
    <span class="labelled">
      <span class="only-heard">{label}</span>
      {children}
    </span>
  )
}

function WorldSelect({ route }: { readonly route: Route }) {
  const { source, world, feed } = usePage()
  const [ids, setIds] = useState<readonly string[]>([world.id])
  useEffect(() => {
    source.worlds().then(
      (worlds) => setIds(worlds.map(({ id }) => id)),
      () => setIds([world.id]),
    )
  }, [source, world, feed.worlds])
  const worldIds = ids.includes(world.id) ? ids : [world.id, ...ids]
  return (
    <label class="world">
      <span class="world-word">World</span>
      <select
        aria-label="World"
        value={world.id}
        onChange={({ currentTarget }) => goTo(route.screen, '', { world: currentTarget.value })}
      >
        {worldIds.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </label>
  )
}
