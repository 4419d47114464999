# syntax=docker/dockerfile:1.24.0@sha256:87999aa3d42bdc6bea60565083ee17e86d1f3339802f543c0d03998580f9cb89
# An instance in a container (docs/containers.md): `docker build -t kyclone . && docker run --rm -p 127.0.0.1:4630:4630 kyclone`
# Images are named by digest, so that a build gets what was reviewed. Both must be of the same Alpine.
FROM node:24.16.0-alpine3.22@sha256:191c9f0080fcbbc6547a85dc0ff7988072214a355aabdc1d2ec55a7dae5eea8a AS build
WORKDIR /src
COPY . .
# This builds, too, and compiles nothing: SQLite is Node's own.
RUN npm ci --no-audit --no-fund \
    && npm prune --omit=dev --omit=optional --no-audit --no-fund

# Node alone: without npm, and without a compiler.
FROM alpine:3.22@sha256:14358309a308569c32bdc37e2e0e9694be33a9d99e68afb0f5ff33cc1f695dce
RUN addgroup -g 10001 kyclone \
    && adduser -D -H -u 10001 -G kyclone kyclone \
    && mkdir -m 700 /data \
    && chown kyclone:kyclone /data \
    && mkdir /opt/bin \
    && ln -s /opt/kyclone/bin/kyclone.js /opt/bin/kyclone
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /usr/lib/libstdc++.so.6 /usr/lib/libgcc_s.so.1 /usr/lib/
COPY --from=build /src/package.json /src/LICENSE /opt/kyclone/
COPY --from=build /src/bin /opt/kyclone/bin
COPY --from=build /src/dist /opt/kyclone/dist
COPY --from=build /src/node_modules /opt/kyclone/node_modules
# Everything that is written is below /data: the root file system can be read-only.
ENV PATH=/opt/bin:/usr/local/bin:/usr/bin:/bin \
    KYCLONE_HOME=/data \
    KYCLONE_NO_KEYCHAIN=1
USER 10001:10001
VOLUME /data
EXPOSE 4630
HEALTHCHECK --interval=2s --timeout=5s --start-period=10s \
    CMD ["node", "/opt/kyclone/bin/kyclone.js", "wait", "--timeout", "0"]
# The daemon itself is process 1 and gets the signals; options are added behind the image's name.
ENTRYPOINT ["node", "/opt/kyclone/bin/kycloned.js", "--host", "0.0.0.0", "--allow-remote"]
