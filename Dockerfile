# Image of infra-understudy: docker build -t infra-understudy .
# docker/check-image.sh runs these steps without Docker. It supports only the instructions used here.

# Base image; to pin it by digest: --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without scripts, because `postprepare` would build, and the sources are only copied later.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY state ./state
COPY routes ./routes
COPY src ./src
COPY inspector ./inspector
COPY scripts ./scripts
# The build packs the named choices.
COPY docs/reference ./docs/reference
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ARG NODE_IMAGE
# Version and commit of the sources, for the labels: --build-arg VERSION=… --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title=infra-understudy
LABEL org.opencontainers.image.description="In-memory mock server for tests, with the HTTP APIs of Vault, OpenBao, Terraform Enterprise, Consul and Nomad"
LABEL org.opencontainers.image.licenses=Apache-2.0
LABEL org.opencontainers.image.version=$VERSION
LABEL org.opencontainers.image.revision=$REVISION
LABEL org.opencontainers.image.base.name=$NODE_IMAGE
WORKDIR /app
ENV NODE_ENV=production
ENV UNDERSTUDY_HOST=0.0.0.0
# The variables of the products' development images have the same effect here, on the same ports.
ENV UNDERSTUDY_DROP_IN=1
# With UNDERSTUDY_TLS=1, the CA is in /app/tls/ca.pem. The folder belongs to the user of the process,
# and so does a named volume that is mounted there.
ENV UNDERSTUDY_TLS=0
ENV UNDERSTUDY_TLS_DIR=/app/tls
# The products' command reads its token there, as in the products' image.
ENV UNDERSTUDY_TOKEN_FILE=/home/node/.vault-token
COPY package.json LICENSE THIRD-PARTY-LICENSES ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# A few commands of vault, consul and nomad, for scripts that set up the server in its container.
COPY docker/bin /usr/local/bin
RUN mkdir tls && chown node:node tls
USER node
EXPOSE 4600 8200 8500 4646
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["node", "dist/src/cli.js", "healthcheck"]
ENTRYPOINT ["node", "dist/src/cli.js"]
