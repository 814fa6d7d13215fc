/* message.c - see message.h. */
#include "stager/message.h"

#include <stdlib.h>
#include <string.h>

void atn_stager_staged_get_status(const atn_staged_message *m, MPI_Status *status)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    const int error = status->MPI_ERROR; /* single completions do not set it */
    *status = m->status;
    status->MPI_ERROR = error;
}

bool atn_stager_staged_test(atn_staged_message *m)
{
    int flag = 1;
    if (m->request != MPI_REQUEST_NULL) {
        const int code = atn_stager_pmpi.Test(&m->request, &flag, MPI_STATUS_IGNORE);
        m->code = code != MPI_SUCCESS ? code : m->code;
    }
    return flag != 0;
}

static void wait_for(atn_staged_message *m)
{
    if (m->request == MPI_REQUEST_NULL)
        return;
    const int code = atn_stager_pmpi.Wait(&m->request, MPI_STATUS_IGNORE);
    m->code = code != MPI_SUCCESS ? code : m->code;
    atn_stager.counts.waited++;
}

/* Whether the elements of the buffer are the bytes of the message, in order. */
static bool is_plain(MPI_Datatype type, MPI_Count *size_p)
{
    int integers, addresses, types, combiner = 0, size = 0;
    MPI_Aint low = 1, extent = 0;
    if (type == MPI_DATATYPE_NULL ||
        PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS ||
        combiner != MPI_COMBINER_NAMED)
        return false;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &low, &extent);
    *size_p = size;
    return low == 0 && extent == size;
}

/* Derived types, partial elements and truncation: MPI unpacks a message of this rank to itself. */
static int send_to_self(const atn_staged_message *m, const atn_receive_buffer *b)
{
    enum { TAG = 1 };
    MPI_Request sent;
    int code = atn_stager_pmpi.Isend(m->bytes, (int)m->head.bytes, MPI_PACKED, 0, TAG,
                                     atn_stager.self, &sent);
    if (code != MPI_SUCCESS)
        return code;
#if MPI_VERSION >= 4
    code = atn_stager_pmpi.Recv_c(b->buf, b->count, b->type, 0, TAG, atn_stager.self,
                                  MPI_STATUS_IGNORE);
#else
    code = atn_stager_pmpi.Recv(b->buf, (int)b->count, b->type, 0, TAG, atn_stager.self,
                                MPI_STATUS_IGNORE);
#endif
    atn_stager_pmpi.Wait(&sent, MPI_STATUS_IGNORE);
    return code;
}

void atn_stager_staged_free(atn_staged_message *m)
{
    atn_predict_staging_leave(&atn_stager.room, &m->head);
    if (m->request == MPI_REQUEST_NULL) /* else MPI still writes to it; it was never matched */
        free(m);
}

int atn_stager_staged_deliver(atn_staged_message *m, const atn_receive_buffer *b)
{
    MPI_Count size = 0;
    int code = m->code;
    if (code == MPI_SUCCESS) {
        if (!atn_stager.gpu && is_plain(b->type, &size) && b->count >= 0 &&
            m->head.bytes <= b->count * size) {
            if (m->head.bytes > 0)
                memcpy(b->buf, m->bytes, (size_t)m->head.bytes);
        } else
            code = send_to_self(m, b);
    }
    atn_stager_staged_free(m);
    return code;
}

int atn_stager_staged_receive(atn_staged_message *m, const atn_receive_buffer *b,
                              MPI_Status *status)
{
    wait_for(m);
    atn_stager_staged_get_status(m, status);
    const int code = atn_stager_staged_deliver(m, b);
    return code == MPI_SUCCESS ? code : (PMPI_Comm_call_errhandler(b->comm, code), code);
}
