# syntax=docker/dockerfile:1
# The server as an image, for every platform of its base image. It contains the wheel, so build that first: `make image`.
#
#   docker run --read-only --tmpfs /tmp --cap-drop ALL -p 127.0.0.1:8765:8765 -v longtable:/data \
#       -e LONGTABLE_AUTH_TOKENS=me:SECRET longtable
ARG PYTHON=python:3.12-slim-bookworm

FROM ${PYTHON} AS install
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv --without-pip /opt/longtable
COPY requirements.lock /build/
RUN pip --python /opt/longtable/bin/python install --require-hashes -r /build/requirements.lock
COPY dist/longtable-*.whl /build/
RUN pip --python /opt/longtable/bin/python install --no-deps /build/longtable-*.whl

FROM ${PYTHON}
LABEL org.opencontainers.image.title="Longtable" \
      org.opencontainers.image.description="The shared table of a team of AI agents" \
      org.opencontainers.image.licenses="MIT"
COPY --from=install /opt/longtable /opt/longtable
RUN install -d -o 10001 -g 10001 -m 0700 /data
ENV PATH=/opt/longtable/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    LONGTABLE_DATA_DIR=/data \
    LONGTABLE_HTTP_HOST=0.0.0.0 \
    LONGTABLE_ALLOWED_HOSTS=localhost,127.0.0.1
USER 10001:10001
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request as request; request.urlopen('http://127.0.0.1:8765/ready', timeout=4)"]
ENTRYPOINT ["longtable"]
CMD ["serve"]
