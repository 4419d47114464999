# syntax=docker/dockerfile:1.24.0@sha256:87999aa3d42bdc6bea60565083ee17e86d1f3339802f543c0d03998580f9cb89
# An instance in a container (docs/containers.md): `docker build -t kyclone . && docker run --rm -p 127.0.0.1:4630:4630 kyclone`
# The image is named by digest, so that a build gets what was reviewed. Its libraries go into the result.
FROM node:24.16.0-trixie-slim@sha256:05c08ce4291e9a58f59456a7985176defb12cdd42271f35ff81a3e167ea61d4c AS build
# strip
RUN apt-get update \
    && apt-get install -y --no-install-recommends binutils \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# npm ci builds, too, and compiles nothing.
RUN npm ci --no-audit --no-fund \
    && npx tsx src/devtools/package.ts \
    && sh src/devtools/single-file/image-root.sh dist-package/kyclone-linux-$(node -p process.arch) /image \
    && mkdir /data

# One executable with the libraries that it is linked with: no shell, no package manager, no Node.
FROM scratch
COPY --from=build /image /
COPY --from=build --chown=10001:10001 --chmod=700 /data /data
# Everything that is written is below /data: the root file system can be read-only.
ENV PATH=/usr/local/bin \
    KYCLONE_HOME=/data \
    KYCLONE_NO_KEYCHAIN=1
USER 10001:10001
VOLUME /data
EXPOSE 4630
HEALTHCHECK --interval=2s --timeout=5s --start-period=10s \
    CMD ["kyclone", "wait", "--timeout", "0"]
# The daemon itself is process 1 and gets the signals; options are added behind the image's name.
ENTRYPOINT ["kycloned", "--host", "0.0.0.0", "--allow-remote"]
