import { connect } from './client.ts'

/** Stops the server of `infra-understudy/global-setup`, as the `globalTeardown` of Jest. */
export default function tearDown(): Promise<void> {
  return connect().shutdown()
}
